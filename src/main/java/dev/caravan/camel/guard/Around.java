package dev.caravan.camel.guard;

import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/** What is done before and after a step with an exchange that is {@link OwnExchanges own}. */
@FunctionalInterface
interface Around {
    /** For nothing to do after the step. */
    Runnable NOTHING = () -> {};

    /**
     * Runs before the step. If it throws, the step does not run and the message fails.
     *
     * @return what to do after the step
     */
    Runnable begin(Exchange exchange);

    /** A step with something around it. */
    static Processor step(Processor step, Around around) {
        return new DelegateAsyncProcessor(step) {
            @Override
            public boolean process(Exchange exchange, AsyncCallback callback) {
                if (!OwnExchanges.isOwn(exchange)) {
                    return super.process(exchange, callback);
                }
                Runnable end;
                try {
                    end = around.begin(exchange);
                } catch (RuntimeException e) {
                    exchange.setException(e);
                    callback.done(true);
                    return true;
                }
                if (end == NOTHING) {
                    return super.process(exchange, callback);
                }
                return super.process(exchange, doneSync -> {
                    try {
                        end.run();
                    } catch (RuntimeException e) { // otherwise the message would never end
                        exchange.setException(e);
                    }
                    callback.done(doneSync);
                });
            }
        };
    }
}
