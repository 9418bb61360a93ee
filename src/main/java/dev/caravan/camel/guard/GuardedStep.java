package dev.caravan.camel.guard;

import java.util.List;
import java.util.function.Consumer;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * A step with what is done before it, after it, and when it has failed, with an exchange that is {@link OwnExchanges own}. One object for each
 * step, because Camel calls it for each message.
 */
final class GuardedStep extends DelegateAsyncProcessor {
    private final Around[] around;
    private final Consumer<Exchange> failed;

    /**
     * @param around the last begins first and ends last
     * @param failed is called last, with an exchange that has an exception
     */
    GuardedStep(Processor step, List<Around> around, Consumer<Exchange> failed) {
        super(step);
        this.around = around.toArray(Around[]::new);
        this.failed = failed;
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        if (!OwnExchanges.isOwn(exchange)) {
            return super.process(exchange, callback);
        }
        Runnable[] ends = new Runnable[around.length];
        try {
            for (int i = around.length - 1; i >= 0; i--) {
                ends[i] = around[i].begin(exchange);
            }
        } catch (RuntimeException e) {
            exchange.setException(e);
            end(ends, exchange);
            callback.done(true);
            return true;
        }
        return super.process(exchange, doneSync -> {
            end(ends, exchange);
            callback.done(doneSync);
        });
    }

    private void end(Runnable[] ends, Exchange exchange) {
        for (Runnable end : ends) {
            if (end != null) { // it has begun
                run(end, exchange);
            }
        }
        if (exchange.getException() != null) {
            run(() -> failed.accept(exchange), exchange);
        }
    }

    /** An exception is the result of the step: otherwise the message would never end. */
    private static void run(Runnable end, Exchange exchange) {
        try {
            end.run();
        } catch (RuntimeException e) {
            exchange.setException(e);
        }
    }
}
