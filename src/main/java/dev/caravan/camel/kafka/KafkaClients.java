package dev.caravan.camel.kafka;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.camel.component.kafka.DefaultKafkaClientFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.oauthbearer.internals.secured.LimitedTokens;

/** Creates the producers of the kafka component. */
public final class KafkaClients extends DefaultKafkaClientFactory {
    private static final int LIMIT_TIMEOUT_MILLIS = 5_000;
    /** Kafka's own, by its two names. */
    private static final Set<String> LOGINS_WITH_TOKENS = Set.of(
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
            "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler");

    private final ClassLoader loader;
    private final ReachedBrokers brokers = new ReachedBrokers();
    /** By the settings of the routes that share them. */
    private final Map<Properties, Shared> shared = new ConcurrentHashMap<>();

    /** @param loader the loader of classes that settings name, such as the login of a cloud provider */
    public KafkaClients(ClassLoader loader) {
        this.loader = loader;
    }

    /** A producer for one route. Routes with equal settings share the clients: a route that gets a {@code client.id} of its own does not. */
    @Override
    public Producer<Object, Object> getProducer(Properties settings) {
        limitTokens(settings);
        brokers.check(List.of(settings.getOrDefault(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "")
                .toString()
                .split("\\s*,\\s*")));
        return sharing(settings);
    }

    private Producer<Object, Object> client(Properties settings) {
        return withLoader(() -> new FirstAloneProducer(settings));
    }

    private Producer<Object, Object> sharing(Properties changeable) {
        Properties settings = new Properties();
        settings.putAll(changeable);
        Shared used = shared.compute(settings, (any, before) -> before == null ? connected(settings) : before.more(1));
        return new SharedProducer(settings, used.clients, timeout -> release(settings, timeout));
    }

    private Shared connected(Properties settings) {
        return new Shared(
                new FittingClients(
                        SharedProducer.ofClient(settings),
                        this::client,
                        new ClusterLimits(() -> admin(settings), FittingClients.TIMER),
                        Clock.SYSTEM),
                1);
    }

    /** A route that begins to use the settings at this time gets other clients, which it does not wait for. */
    private void release(Properties settings, Duration timeout) {
        List<FittingClients> unused = new ArrayList<>();
        shared.computeIfPresent(settings, (any, before) -> {
            if (before.routes > 1) {
                return before.more(-1);
            }
            unused.add(before.clients);
            return null;
        });
        unused.forEach(clients -> clients.close(timeout));
    }

    /** Clients, and the number of routes that use them. */
    private record Shared(FittingClients clients, int routes) {
        Shared more(int count) {
            return new Shared(clients, routes + count);
        }
    }

    private Admin admin(Properties ofProducer) {
        Properties settings = new Properties();
        settings.putAll(ofProducer);
        settings.keySet().retainAll(AdminClientConfig.configNames());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, LIMIT_TIMEOUT_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, LIMIT_TIMEOUT_MILLIS);
        Admin admin = withLoader(() -> Admin.create(settings));
        AnswerSize.limit(admin);
        return admin;
    }

    /** Camel has set the loader of Kafka's own classes. */
    private <T> T withLoader(Supplier<T> client) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return client.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Limits the answers of the server from which Kafka's own login requests tokens of OAuth. */
    public static void limitTokens(Properties settings) {
        Object handler = settings.get(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS);
        String name = handler instanceof Class<?> type ? type.getName() : String.valueOf(handler);
        if (LOGINS_WITH_TOKENS.contains(name.strip())) {
            settings.put(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, LimitedTokens.class);
        }
    }
}
