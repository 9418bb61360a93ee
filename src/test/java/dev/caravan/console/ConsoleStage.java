package dev.caravan.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import dev.caravan.camel.outbox.ApplicationTransaction;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database, a relay that serves its console, and methods that create messages and problems. */
final class ConsoleStage implements AutoCloseable {
    static final String TOKEN = "operator-token-of-tests";
    static final String READ_TOKEN = "reader-token-of-tests";

    private final TestOutbox outbox = TestOutbox.create();
    private final Path routes;
    private final int port;
    private Relay relay;
    private BrowserContext shared;

    /** With a route for each of the subscriptions. */
    ConsoleStage(Path routes, String... subscriptions) throws Exception {
        this.routes = routes;
        port = FreePorts.one();
        for (String subscription : subscriptions) {
            Files.writeString(routes.resolve(subscription + ".camel.yaml"), route(subscription));
        }
        startRelay();
    }

    private static String route(String subscription) {
        return route(subscription, "- process: {ref: \"#class:dev.caravan.console.Gateway\"}");
    }

    /** A route for the types that begin with the first part of its name. @param steps lines that are indented alike */
    static String route(String subscription, String steps) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      parameters:
                        types: "%2$s.*"
                      steps:
                %3$s""".formatted(subscription, subscription.replaceAll("-.*", ""), steps.indent(8));
    }

    /** Adds a file to those of the running relay. */
    void writeRouteFile(String name, String content) throws IOException {
        Files.writeString(routes.resolve(name), content);
    }

    /** No effect if there is no such file. */
    void deleteRouteFile(String name) throws IOException {
        Files.deleteIfExists(routes.resolve(name));
    }

    void startRelay() {
        Map<String, String> values = new HashMap<>();
        values.put("camel.management.enabled", "true");
        values.put("camel.management.port", Integer.toString(port));
        values.put("camel.management.host", "127.0.0.1");
        values.put("caravan.management.token", TOKEN);
        values.put("caravan.management.readToken", READ_TOKEN);
        values.put("caravan.people.proxies", "127.0.0.1, ::1"); // the browser of a person with a name is the proxy too
        values.put("caravan.people.roles", "admin: platform; operate: support");
        relay = Relay.start(outbox.settingsWithRoutes(routes, values));
    }

    void stopRelay() {
        relay.close();
    }

    JdbcTemplate jdbc() {
        return outbox.jdbc();
    }

    /** A tab of a person who may change things; all these tabs share what the browser has loaded before. */
    Visit visit() {
        if (shared == null) {
            shared = Visit.context(TOKEN, new Browser.NewContextOptions().setViewportSize(1280, 900));
        }
        return new Visit(address(), shared, () -> {});
    }

    /** A tab of a browser without any stored data of the console. */
    Visit visit(String token, Browser.NewContextOptions options) {
        BrowserContext own = Visit.context(token, options);
        return new Visit(address(), own, own::close);
    }

    private String address() {
        return "http://localhost:" + port;
    }

    /** Inserts a message and returns its id. */
    long insert(String type, String key, String payload) {
        return outbox.jdbc()
                .queryForObject(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload) values (?, ?, ?, ?::json) returning id",
                        Long.class,
                        key.split("/")[0],
                        key.split("/")[1],
                        type,
                        payload);
    }

    /** Inserts a message that is dead, as if it had been tried long ago. */
    long dead(String subscription, String key, String payload, String error) {
        long id = insert("none.of-any-route", key, payload);
        outbox.jdbc().update("""
                insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload,
                    created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer,
                    attempt_relay, attempt_millis, earlier_attempts)
                select ?, id, message_id, aggregate_type, aggregate_id, ?, '{"channel": "web"}', payload,
                    created_at, 10, now() - interval '1 day', now(), 'java.io.IOException', ?, 'at dev.example.Send', 'to-gateway',
                    '{"detail": "the amount must be positive"}', 'relay-1', 230,
                    outbox_earlier_attempts(null, now() - interval '1 day', 1, 'relay-2', 30000, 'java.io.IOException', 'timeout', null)
                  from outbox where id = ?
                """, subscription, selected(subscription), error, id);
        return id;
    }

    /** A dead letter whose payload is bytes. */
    long deadBinary(String subscription, String key, byte[] payload) {
        long id = dead(subscription, key, "{}", "refused");
        outbox.jdbc()
                .update("update outbox_dead_letter set payload = null, payload_bytes = ? where id = ?", payload, id);
        return id;
    }

    /** The same for many, as fast as the database can; their keys and ids are beyond those of the outbox. Inserts only what is missing. */
    void deadMany(String subscription, int first, int last, String error) {
        outbox.jdbc().update("""
                insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, payload,
                    created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)
                select ?, 10000000 + n, gen_random_uuid(), 'order', (4000 + n / 10)::text, ?, '{"n": 1}',
                    now(), 1, now() - interval '1 day', now() - interval '2 hours' - n * interval '1 second',
                    'java.io.IOException', ? || chr(97 + n % 7), 'stack'
                  from generate_series(?, ?) n
                on conflict do nothing
                """, subscription, selected(subscription), error, first, last);
    }

    /** A type that the route sends again. That of the row in the outbox is none, because the route would read it. */
    private static String selected(String subscription) {
        return subscription.replaceAll("-.*", "") + ".created";
    }

    /** A message that is blocked by a dead letter of its key. */
    long blocked(String subscription, String key) {
        long id = insert("none.of-any-route", key, "{}");
        outbox.jdbc().update("""
                insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at, blocked)
                select ?, id, message_id, aggregate_type, aggregate_id, ?, payload, created_at, true from outbox where id = ?
                """, subscription, selected(subscription), id);
        return id;
    }

    void refuseConnections() throws SQLException {
        outbox.refuseConnections();
    }

    void acceptConnections() throws SQLException {
        outbox.acceptConnections();
    }

    /** A transaction of the application that stays open. */
    ApplicationTransaction begin() throws SQLException {
        return outbox.begin();
    }

    /** A message that is tried again in an hour, and this many of its key that wait behind it. */
    long waiting(String subscription, String key, int behind) {
        long first = 0;
        for (int i = 0; i <= behind; i++) {
            long id = insert("none.of-any-route", key, "{\"n\": " + i + "}");
            first = i == 0 ? id : first;
            outbox.jdbc().update("""
                    insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,
                        blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text)
                    select ?, id, message_id, aggregate_type, aggregate_id, ?, payload, created_at, failed is null,
                        case when failed then 3 else 0 end, case when failed then now() + interval '1 hour' end,
                        case when failed then now() - interval '2 hours' end, case when failed then now() end,
                        case when failed then 'java.io.IOException' end, case when failed then 'broken pipe' end
                      from outbox cross join (values (?::boolean)) first (failed) where id = ?
                    """, subscription, selected(subscription), i == 0 ? true : null, id);
        }
        return first;
    }

    long count(String sql, Object... parameters) {
        return outbox.jdbc().queryForObject(sql, Long.class, parameters);
    }

    @Override
    public void close() throws Exception {
        if (shared != null) {
            shared.close();
        }
        relay.close();
        outbox.close();
    }
}
