package dev.caravan.camel.outbox;

import dev.caravan.camel.email.LimitedMail;
import dev.caravan.camel.guard.CutAnswer;
import dev.caravan.camel.guard.FileNames;
import dev.caravan.camel.httpclient.HttpDeliveries;
import dev.caravan.camel.kafka.KafkaRecords;
import dev.caravan.camel.step.AnswerLimits;
import dev.caravan.camel.step.LimitedRows;
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
final class StepEndpoints implements EndpointStrategy, AnswerLimits {
    private static final EndpointStrategy HEADERS = new OutgoingHeaders();

    private final List<EndpointStrategy> libraries = new ArrayList<>();

    private volatile AnswerLimits limits;

    private StepEndpoints(CamelContext context, AnswerLimits limits) {
        this.limits = limits;
        CutAnswer.failConversions(context);
        addIf(context, "org.apache.camel.component.http.HttpEndpoint", () -> new HttpDeliveries(this));
        addIf(context, "org.apache.camel.component.mail.MailEndpoint", () -> new LimitedMail(this));
        addIf(context, "org.apache.camel.component.kafka.KafkaEndpoint", KafkaRecords::new);
        addIf(context, "org.apache.camel.component.file.GenericFileEndpoint", FileNames::new);
        libraries.add(new LimitedRows(Runtime.getRuntime().maxMemory()));
    }

    /**
     * Begins to change the endpoints of a context. A context has one strategy, however often it starts and whatever the number of its
     * components: a second one would change the same endpoints again.
     *
     * @param limits of the component that starts; they replace those of an earlier one
     */
    static void register(CamelContext context, AnswerLimits limits) {
        StepEndpoints registered = of(context);
        if (registered == null) {
            registered = new StepEndpoints(context, limits);
            context.getCamelContextExtension().addContextPlugin(StepEndpoints.class, registered);
            context.getCamelContextExtension().registerEndpointCallback(registered);
        }
        registered.limits = limits;
    }

    /** Null if there is none yet. */
    static StepEndpoints of(CamelContext context) {
        return context.getCamelContextExtension().getContextPlugin(StepEndpoints.class);
    }

    /** Loads no class of a library that the application does not have. */
    private void addIf(CamelContext context, String endpoint, Supplier<EndpointStrategy> strategy) {
        if (context.getClassResolver().resolveClass(endpoint, StepEndpoints.class.getClassLoader()) != null) {
            libraries.add(strategy.get());
        }
    }

    @Override
    public long getAttemptTimeout() {
        return limits.getAttemptTimeout();
    }

    @Override
    public int getMaxAnswerBytes() {
        return limits.getMaxAnswerBytes();
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
