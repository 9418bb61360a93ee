package dev.caravan.relay;

import org.apache.camel.CamelContext;
import org.apache.camel.Ordered;
import org.apache.camel.StartupListener;

/** Runs something as soon as the management server listens, before any route starts: routes may take long to start. */
final class ListeningServer implements StartupListener, Ordered {
    private final Runnable task;

    ListeningServer(Runnable task) {
        this.task = task;
    }

    @Override
    public void onCamelContextStarting(CamelContext context, boolean alreadyStarted) {
        task.run();
    }

    @Override
    public void onCamelContextStarted(CamelContext context, boolean alreadyStarted) {
        // all is done
    }

    /** After the listener of Camel that starts the server. */
    @Override
    public int getOrder() {
        return LOWEST;
    }
}
