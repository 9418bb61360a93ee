package dev.caravan.camel.outbox;

import dev.caravan.camel.email.LimitedMail;
import dev.caravan.camel.httpclient.HttpDeliveries;
import dev.caravan.camel.kafka.KafkaRecords;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.camel.step.OutgoingHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.spi.EndpointStrategy;

/**
 * Makes the endpoints of a context send messages of an outbox with guarantees that Camel's components do not give. One strategy, because
 * Camel calls several in any order, and the last one replaces the endpoint that the first one changes.
 */
final class StepEndpoints implements EndpointStrategy {
    private static final EndpointStrategy HEADERS = new OutgoingHeaders();

    private final List<EndpointStrategy> libraries = new ArrayList<>();

    StepEndpoints(CamelContext context, AnswerLimits limits) {
        addIf(context, "org.apache.camel.component.http.HttpEndpoint", () -> new HttpDeliveries(limits));
        addIf(context, "org.apache.camel.component.mail.MailEndpoint", () -> new LimitedMail(limits));
        addIf(context, "org.apache.camel.component.kafka.KafkaEndpoint", KafkaRecords::new);
    }

    /** Loads no class of a library that the application does not have. */
    private void addIf(CamelContext context, String endpoint, Supplier<EndpointStrategy> strategy) {
        if (context.getClassResolver().resolveClass(endpoint, StepEndpoints.class.getClassLoader()) != null) {
            libraries.add(strategy.get());
        }
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof OutboxDelivery) {
            return endpoint;
        }
        for (EndpointStrategy library : libraries) {
            Endpoint answer = library.registerEndpoint(uri, endpoint);
            if (answer != endpoint) {
                return answer;
            }
        }
        return HEADERS.registerEndpoint(uri, endpoint);
    }
}
