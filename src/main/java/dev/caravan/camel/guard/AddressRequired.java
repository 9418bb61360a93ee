package dev.caravan.camel.guard;

import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.Processor;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Fails a message for which the address of a step {@code toD} is null, for example because the message lacks the header with the address.
 * Camel would send nothing and continue, and the message would count as delivered.
 */
final class AddressRequired extends DelegateAsyncProcessor {
    private final Expression address;

    /** @param step a toD that does not ignore invalid addresses */
    AddressRequired(Processor step, Expression address) {
        super(step);
        this.address = address;
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        if (Part.of(exchange) != null && isNull(exchange)) {
            exchange.setException(
                    new IllegalArgumentException("The message has no address: the step toD was evaluated to null"));
            callback.done(true);
            return true;
        }
        return super.process(exchange, callback);
    }

    private boolean isNull(Exchange exchange) {
        try {
            return address.evaluate(exchange, Object.class) == null;
        } catch (RuntimeException e) {
            return false; // the step fails in the same way
        }
    }
}
