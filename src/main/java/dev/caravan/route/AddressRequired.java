package dev.caravan.route;

import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Processor;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Fails a message for which the address of a step {@code toD} is null, for example because it is in a header that the message lacks. Camel
 * sends nothing and continues, and the message would count as delivered.
 */
final class AddressRequired extends DelegateAsyncProcessor {
    /** @param step a toD that does not ignore invalid addresses */
    AddressRequired(Processor step) {
        super(step);
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        if (Part.of(exchange) == null) {
            return super.process(exchange, callback);
        }
        exchange.removeProperty(ExchangePropertyKey.TO_ENDPOINT); // set when an address is known
        return super.process(exchange, doneSync -> {
            if (exchange.getException() == null && exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT) == null) {
                exchange.setException(
                        new IllegalArgumentException("The message has no address: the step toD was evaluated to null"));
            }
            callback.done(doneSync);
        });
    }
}
