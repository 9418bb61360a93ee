package dev.caravan.relay;

import org.apache.camel.CamelContext;
import org.apache.camel.Ordered;
import org.apache.camel.StartupListener;
import org.apache.camel.util.function.ThrowingRunnable;

/** Runs a task when the management server has started, before the routes start. */
final class AfterServerStart implements StartupListener, Ordered {
    private final ThrowingRunnable<Exception> task;

    AfterServerStart(ThrowingRunnable<Exception> task) {
        this.task = task;
    }

    @Override
    public void onCamelContextStarting(CamelContext context, boolean alreadyStarted) throws Exception {
        task.run();
    }

    @Override
    public void onCamelContextStarted(CamelContext context, boolean alreadyStarted) {
        // nothing to do
    }

    /** Last, after Camel's listener that starts the server. */
    @Override
    public int getOrder() {
        return LOWEST;
    }
}
