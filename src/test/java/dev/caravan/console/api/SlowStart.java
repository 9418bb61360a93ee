package dev.caravan.console.api;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelContextAware;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.platform.http.main.ManagementHttpServer;
import org.apache.camel.support.service.ServiceSupport;

/** A step of a route that sends a request to the relay while the route is being started. */
public final class SlowStart extends ServiceSupport implements Processor, CamelContextAware {
    static final List<Integer> ANSWERS = new CopyOnWriteArrayList<>();

    private CamelContext context;

    @Override
    protected void doStart() throws IOException, InterruptedException {
        int port = context.hasService(ManagementHttpServer.class).getPort();
        for (String path : List.of("/api/me", "/api/overview", "/console/", "/api/none")) {
            var request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
            ANSWERS.add(HttpClient.newHttpClient()
                    .send(request.build(), BodyHandlers.discarding())
                    .statusCode());
        }
    }

    @Override
    public void process(Exchange exchange) {
        // delivers nothing
    }

    @Override
    public CamelContext getCamelContext() {
        return context;
    }

    @Override
    public void setCamelContext(CamelContext context) {
        this.context = context;
    }
}
