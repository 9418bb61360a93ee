package dev.caravan.component;

import dev.caravan.delivery.Message;
import dev.caravan.delivery.ShortText;
import dev.caravan.lane.Change;
import java.util.function.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.support.DefaultExchange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows each dead letter to the route from {@code direct:dead-letter}, if there is one, after it was stored. What that route
 * does, or fails to do, changes nothing about the dead letter.
 */
final class DeadLetterRoute implements Consumer<Change.Dead> {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterRoute.class);
    private static final String URI = "direct:dead-letter?failIfNoConsumers=false&block=false";

    private final OutboxEndpoint endpoint;
    private ProducerTemplate template;

    DeadLetterRoute(OutboxEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void accept(Change.Dead dead) {
        Exchange exchange = new DefaultExchange(endpoint.getCamelContext(), ExchangePattern.InOnly);
        fill(exchange.getMessage(), dead);
        template()
                .asyncSend(URI, exchange)
                .whenComplete((sent, error) -> report(dead, error != null ? error : sent.getException()));
    }

    private ProducerTemplate template() {
        if (template == null) {
            template = endpoint.getCamelContext().createProducerTemplate();
        }
        return template;
    }

    private void fill(org.apache.camel.Message in, Change.Dead dead) {
        Message message = dead.delivery().message();
        Envelope.describe(in, message, message.createdAt().toString(), endpoint.getName());
        in.setHeader(OutboxConstants.KEY, ShortText.of(message.key().toString()));
        in.setHeader(OutboxConstants.ATTEMPT, dead.attempts());
        in.setHeader(OutboxConstants.ERROR_CLASS, dead.failure().errorClass());
        in.setHeader(OutboxConstants.ERROR_TEXT, dead.failure().errorText());
        in.setBody(message.payload());
    }

    private void report(Change.Dead dead, Throwable error) {
        if (error != null) {
            LOG.warn(
                    "Route dead-letter failed for message {} of {}: {}. The dead letter is stored all the same",
                    dead.delivery().message().id(),
                    endpoint.getName(),
                    Reason.of(error));
        }
    }
}
