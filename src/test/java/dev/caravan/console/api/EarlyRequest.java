package dev.caravan.console.api;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelContextAware;
import org.apache.camel.Ordered;
import org.apache.camel.StartupListener;
import org.apache.camel.component.platform.http.main.ManagementHttpServer;

/** A bean that sends a request to the relay when Camel's management server has started, before the API is added. */
public final class EarlyRequest implements CamelContextAware, StartupListener, Ordered {
    static final List<Integer> ANSWERS = new CopyOnWriteArrayList<>();

    private CamelContext context;

    @Override
    public void onCamelContextStarting(CamelContext starting, boolean alreadyStarted) throws IOException {
        int port = starting.hasService(ManagementHttpServer.class).getPort();
        URL url = new URL("http://localhost:" + port + "/q/download");
        ANSWERS.add(((HttpURLConnection) url.openConnection()).getResponseCode());
    }

    @Override
    public void onCamelContextStarted(CamelContext started, boolean alreadyStarted) {
        // nothing to do
    }

    @Override
    public int getOrder() {
        return LOWEST;
    }

    @Override
    public CamelContext getCamelContext() {
        return context;
    }

    @Override
    public void setCamelContext(CamelContext context) {
        this.context = context;
        try {
            context.addStartupListener(this);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
