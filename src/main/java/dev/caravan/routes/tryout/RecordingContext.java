package dev.caravan.routes.tryout;

import dev.caravan.routes.context.RelayContext;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.spi.InterceptSendToEndpoint;
import org.apache.camel.spi.Registry;
import org.apache.camel.support.DefaultInterceptSendToEndpoint;

/** A Camel context in which each endpoint that leaves the process records what is sent to it. */
final class RecordingContext extends RelayContext {
    /** Endpoints of these schemes stay in the process, or send through endpoints that are replaced. */
    private static final Set<String> INSIDE = Set.of(
            "direct",
            "seda",
            "log",
            "mock",
            "bean",
            "class",
            "language",
            "dataformat",
            "validator",
            "json-validator",
            "xslt",
            "xslt-saxon",
            "xquery",
            "kamelet",
            "micrometer",
            "ref",
            "stub",
            "browse",
            "saga",
            "velocity",
            "freemarker",
            "mustache",
            "string-template",
            "thymeleaf",
            "handlebars",
            "jolt",
            "jslt",
            "jsonata",
            "mvel",
            "outbox",
            "standard-webhook",
            "sms",
            "email",
            "cloud-event");

    private final transient Recorder recorder;
    private final transient RecordedKafka kafka;
    private final transient boolean executesSql;
    private final transient Map<Endpoint, Endpoint> replaced = new WeakHashMap<>();

    /** @param executesSql whether there is a database for the statements of routes */
    RecordingContext(Registry registry, Recorder recorder, RecordedKafka kafka, boolean executesSql) {
        super(registry);
        this.recorder = recorder;
        this.kafka = kafka;
        this.executesSql = executesSql;
    }

    @Override
    public void addService(Object service) throws Exception {
        if (!isNotStarted(service)) {
            super.addService(service);
        }
    }

    @Override
    public void addPrototypeService(Object service) {
        if (!isNotStarted(service)) {
            super.addPrototypeService(service);
        }
    }

    /** Whether this is a replaced endpoint: some connect at their start, for example to look up the URL of a queue. */
    private boolean isNotStarted(Object service) {
        return !recorder.sends()
                && service instanceof Endpoint endpoint
                && isOutside(endpoint)
                && !(endpoint instanceof HttpEndpoint)
                && !(endpoint instanceof KafkaEndpoint)
                && !(endpoint instanceof SqlEndpoint)
                && !(endpoint instanceof MailEndpoint);
    }

    @Override
    protected Endpoint doGetEndpoint(
            String uri, Map<String, Object> parameters, boolean normalized, boolean prototype) {
        return recorded(super.doGetEndpoint(uri, parameters, normalized, prototype));
    }

    private synchronized Endpoint recorded(Endpoint endpoint) {
        if (endpoint instanceof HttpEndpoint http) {
            RecordedHttp.bind(http, recorder);
        } else if (endpoint instanceof KafkaEndpoint records) {
            records.setKafkaClientFactory(kafka);
        } else if (endpoint instanceof InterceptSendToEndpoint intercepted) {
            return replaced.computeIfAbsent(endpoint, any -> replacement(intercepted));
        } else if (endpoint != null && isOutside(endpoint) && !(endpoint instanceof RecordedEndpoint)) {
            return replaced.computeIfAbsent(endpoint, this::replacement);
        }
        return endpoint;
    }

    /** Replaces what is behind a mock, or behind an interceptSendToEndpoint. */
    private Endpoint replacement(InterceptSendToEndpoint intercepted) {
        var copy =
                new DefaultInterceptSendToEndpoint(recorded(intercepted.getOriginalEndpoint()), intercepted.isSkip());
        copy.setOnWhen(intercepted.getOnWhen());
        copy.setBefore(intercepted.getBefore());
        copy.setAfter(intercepted.getAfter());
        return copy;
    }

    private Endpoint replacement(Endpoint endpoint) {
        if (endpoint instanceof SqlEndpoint sql) {
            return RecordedSql.replacing(sql, recorder, executesSql);
        }
        return endpoint instanceof MailEndpoint mail && !recorder.sends()
                ? RecordedEndpoint.of(mail, false, () -> RecordedMail.producer(mail, recorder))
                : RecordedEndpoint.of(endpoint, recorder);
    }

    private static boolean isOutside(Endpoint endpoint) {
        boolean isStep = endpoint.getClass().getName().startsWith("dev.caravan.") && !endpoint.isRemote();
        return !isStep && !INSIDE.contains(endpoint.getEndpointUri().replaceFirst(":.*", ""));
    }
}
