package dev.caravan.routes.tryout;

import dev.caravan.camel.outbox.OutboxEndpoint;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.apache.camel.Endpoint;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.kafka.KafkaEndpoint;
import org.apache.camel.component.mail.MailEndpoint;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** A Camel context in which each endpoint that leaves the process records what is sent to it. */
final class RecordingContext extends DefaultCamelContext {
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
    private final transient RecordedDatabase database;
    private final transient Map<Endpoint, Endpoint> replaced = new WeakHashMap<>();

    RecordingContext(Recorder recorder, RecordedKafka kafka, RecordedDatabase database) {
        super(false);
        this.recorder = recorder;
        this.kafka = kafka;
        this.database = database;
    }

    /** Does not start a replaced endpoint: some endpoints connect at their start, for example to look up the URL of a queue. */
    @Override
    public void addService(Object service) throws Exception {
        boolean isReplaced = service instanceof Endpoint endpoint && isOutside(endpoint) && !isKnown(endpoint);
        if (!isReplaced || recorder.sends()) {
            super.addService(service);
        }
    }

    @Override
    public void addPrototypeService(Object service) {
        boolean isReplaced = service instanceof Endpoint endpoint && isOutside(endpoint) && !isKnown(endpoint);
        if (!isReplaced || recorder.sends()) {
            super.addPrototypeService(service);
        }
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
        } else if (endpoint instanceof DefaultSqlEndpoint sql && !(endpoint instanceof OutboxEndpoint)) {
            recordSql(sql);
        } else if (endpoint instanceof MailEndpoint mail && !recorder.sends()) {
            return replaced.computeIfAbsent(
                    mail, any -> RecordedEndpoint.of(mail, () -> RecordedMail.producer(mail, recorder)));
        } else if (endpoint != null && isOutside(endpoint) && !(endpoint instanceof RecordedEndpoint)) {
            return replaced.computeIfAbsent(endpoint, any -> RecordedEndpoint.of(any, recorder));
        }
        return endpoint;
    }

    private void recordSql(DefaultSqlEndpoint sql) {
        DataSource own = sql.getDataSource() != null
                ? sql.getDataSource()
                : sql.getJdbcTemplate().getDataSource();
        if (!(own instanceof SentDatabase) && !(own instanceof RecordedDatabase)) {
            DataSource recorded = recorder.sends() ? new SentDatabase(own, recorder, database) : database;
            sql.setDataSource(recorded);
            sql.setJdbcTemplate(new JdbcTemplate(recorded));
        }
    }

    private static boolean isKnown(Endpoint endpoint) {
        return endpoint instanceof HttpEndpoint
                || endpoint instanceof KafkaEndpoint
                || endpoint instanceof DefaultSqlEndpoint
                || endpoint instanceof MailEndpoint;
    }

    private static boolean isOutside(Endpoint endpoint) {
        boolean isStep = endpoint.getClass().getName().startsWith("dev.caravan.") && !endpoint.isRemote();
        return !isStep && !INSIDE.contains(endpoint.getEndpointUri().replaceFirst(":.*", ""));
    }
}
