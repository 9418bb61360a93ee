package dev.caravan.routes.check;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Sentence;
import dev.caravan.camel.kafka.AnswerSize;
import dev.caravan.camel.kafka.KafkaClients;
import dev.caravan.routes.context.CamelReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.LoggerFactory;

/**
 * Checks the destinations of the routes: Kafka, and mail and HTTP servers whose addresses are settings used in a route. Checks
 * whether they accept connections and whether topics exist. Sends no message, and uses no credentials except those for Kafka.
 */
public final class CheckedDestinations {
    private static final String AREA = "destinations";
    private static final Map<String, String> SERVERS_OF_STEPS =
            Map.of("sms", "camel.component.sms.url", "email", "camel.component.email.server");
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final Map<String, Integer> PORTS = Map.of("http", 80, "https", 443, "smtp", 25, "smtps", 465);

    private final Settings settings;
    private final CamelContext context;
    private final CheckedRoutes routes;
    private final boolean createTopics;

    public CheckedDestinations(Settings settings, CamelContext context, CheckedRoutes routes, boolean createTopics) {
        this.settings = settings;
        this.context = context;
        this.routes = routes;
        this.createTopics = createTopics;
    }

    public List<CheckResult> findings() throws InterruptedException {
        List<CheckResult> findings = new ArrayList<>(kafka());
        for (String setting : Stream.concat(routes.settings().stream(), serversOfSteps())
                .distinct()
                .toList()) {
            String value = settings.text(setting, "");
            if (PORTS.containsKey(value.substring(0, Math.max(0, value.indexOf(':'))))) {
                findings.add(address(setting, value));
            }
        }
        findings.addAll(privateReceivers());
        return findings;
    }

    /** Other settings of components that look like an address may be none, such as the source of a {@code cloud-event}. */
    private Stream<String> serversOfSteps() {
        return SERVERS_OF_STEPS.keySet().stream()
                .filter(step -> routes.endpoints().use(step))
                .map(SERVERS_OF_STEPS::get);
    }

    /** Receivers of signed webhooks whose addresses are refused at each attempt. */
    private List<CheckResult> privateReceivers() {
        return routes.endpoints().webhooks().stream()
                .flatMap(webhook -> webhook
                        .refusal()
                        .map(text -> CheckResult.problem(AREA, "standard-webhook:" + webhook.getName(), text))
                        .stream())
                .toList();
    }

    private List<CheckResult> kafka() throws InterruptedException {
        if (!routes.endpoints().use("kafka")) {
            return List.of(unused("kafka"));
        }
        Properties properties = context.getComponent("kafka", KafkaComponent.class)
                .getConfiguration()
                .createProducerProperties();
        String brokers = settings.text("camel.component.kafka.brokers", "localhost:9092");
        properties.put("bootstrap.servers", brokers);
        properties.keySet().retainAll(connectionSettings(properties));
        properties.put("default.api.timeout.ms", TIMEOUT_MILLIS);
        properties.put("request.timeout.ms", TIMEOUT_MILLIS);
        quietClient();
        try {
            return answers(brokers, properties);
        } catch (TimeoutException e) {
            return List.of(unreachable(
                    "kafka",
                    brokers,
                    "no answer within 5 s",
                    "camel.component.kafka.brokers (CAMEL_COMPONENT_KAFKA_BROKERS)"));
        } catch (ExecutionException | RuntimeException e) {
            return List.of(unreachable(
                    "kafka",
                    brokers,
                    CamelReason.of(e),
                    "camel.component.kafka.* (CAMEL_COMPONENT_KAFKA_BROKERS for the brokers)"));
        }
    }

    private List<CheckResult> answers(String brokers, Properties properties)
            throws ExecutionException, TimeoutException, InterruptedException {
        KafkaClients.limitTokens(properties);
        Admin admin = Admin.create(properties);
        AnswerSize.limit(admin);
        try {
            int count = admin.describeCluster()
                    .nodes()
                    .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                    .size();
            List<CheckResult> findings = new ArrayList<>();
            findings.add(CheckResult.ok(AREA, "kafka", brokers + " answers, " + Formatted.counted(count, "broker")));
            findings.addAll(new CheckedTopics(admin, createTopics)
                    .findings(routes.endpoints().kafkaTopics()));
            return findings;
        } finally {
            admin.close(Duration.ZERO); // with a longer timeout it would keep retrying
        }
    }

    /** Silences Kafka's client, which logs each failed attempt. The finding reports the failure once. */
    private static void quietClient() {
        Logger client = (Logger) LoggerFactory.getLogger("org.apache.kafka");
        if (!client.isDebugEnabled()) {
            client.setLevel(Level.ERROR);
        }
    }

    private static List<Object> connectionSettings(Properties properties) {
        return properties.keySet().stream()
                .filter(key -> key.toString().matches("bootstrap\\.servers|security\\.protocol|(sasl|ssl)\\..*"))
                .toList();
    }

    private static CheckResult address(String setting, String text) {
        try {
            URI uri = URI.create(text);
            int port = uri.getPort() > 0 ? uri.getPort() : PORTS.get(uri.getScheme());
            return uri.getHost() == null
                    ? wrong(setting, "has no scheme or no host")
                    : connect(setting, uri.getHost(), port);
        } catch (IllegalArgumentException e) {
            return wrong(setting, "is not valid, for example because of a space or a brace");
        }
    }

    /** Does not show the address: what is wrong with it may be in a secret part of it. */
    private static CheckResult wrong(String setting, String why) {
        return CheckResult.problem(AREA, setting, "the address in this setting " + why + ". Correct " + setting);
    }

    private static CheckResult connect(String setting, String host, int port) {
        String address = host + ":" + port;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            return CheckResult.ok(AREA, setting, address + " accepts connections");
        } catch (UnknownHostException e) {
            return unreachable(setting, address, "unknown host " + host, setting);
        } catch (IOException e) {
            return unreachable(setting, address, e.getMessage(), setting);
        }
    }

    private static CheckResult unused(String name) {
        return CheckResult.ok(AREA, name, "not checked: no route uses it");
    }

    private static CheckResult unreachable(String name, String address, String reason, String toCorrect) {
        return CheckResult.problem(
                AREA,
                name,
                "could not reach " + address + ": " + Sentence.of(reason) + " Start it, or correct " + toCorrect);
    }
}
