package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestPostgres;
import dev.caravan.base.message.StoredContent;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.replay.ReplayFilter;
import dev.caravan.operate.subscription.Subscriptions;
import dev.caravan.relay.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pages say about failures, grants and the statements of runbooks, with the route of README and a real relay. */
class FailuresIT {
    private static final Actor BY_TEST = new Actor("docs", Optional.of("a test of the pages"));

    /** How many times the webhook refuses a key before it accepts it, and with which status. */
    private record Refusal(int status, int times) {}

    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final TestHttp webhook = new TestHttp(this::answer);
    private final TestOutbox database = TestOutbox.create();

    @TempDir
    private Path routes;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(
                routes.resolve("order-webhook.camel.yaml"),
                DocsPage.read("README.md").blocks("yaml").get(0));
    }

    @Test
    void a_relay_with_the_grants_in_the_pages_retries_in_order_and_stores_dead_letters() throws Exception {
        grant("relay", "docs_failing_relay", 0);
        refusals.put("poison", new Refusal(400, 1));
        refusals.put("later", new Refusal(500, 1));

        try (var relay = Relay.start(settings("docs_failing_relay"))) {
            awaitOwner();
            insert("poison", "later", "later");

            eventually(Duration.ofSeconds(30), () -> assertThat(taken).containsExactly("later 2", "later 3"));
            eventually(Duration.ofSeconds(30), () -> assertThat(count("outbox_retry"))
                    .isZero());
        }

        assertThat(database.text("select aggregate_id || ' ' || attempts from outbox_dead_letter"))
                .isEqualTo("poison 1");
    }

    @Test
    @Tag("long")
    void a_route_added_to_a_running_relay_has_the_error_handling_of_the_folder() throws Exception {
        Path route = routes.resolve("order-webhook.camel.yaml");
        String yaml = Files.readString(route);
        Files.delete(route);
        refusals.put("poison", new Refusal(400, Integer.MAX_VALUE));

        try (var relay = Relay.start(settings(TestPostgres.server().user()))) {
            Files.writeString(route, yaml);
            awaitOwner();
            insert("poison");

            eventually(Duration.ofSeconds(30), () -> assertThat(count("outbox_dead_letter"))
                    .isEqualTo(1));
        }
    }

    @Test
    @Tag("long")
    void a_message_that_is_given_up_beside_a_relay_becomes_a_dead_letter() throws Exception {
        grant("relay", "docs_blocked_relay", 0);
        refusals.put("bad", new Refusal(500, Integer.MAX_VALUE));

        try (var relay = Relay.start(settings("docs_blocked_relay"))) {
            awaitOwner();
            insert("bad");
            eventually(Duration.ofSeconds(30), () -> assertThat(count("outbox_retry"))
                    .isEqualTo(1));

            eventually(Duration.ofSeconds(30), () -> {
                var waiting = new WaitingSearch(database.dataSource()).first(MessageFilter.ALL, 1);
                for (Selection.Chunk chunk : Selection.of(waiting).chunks(1)) {
                    new Retries(database.dataSource()).giveUp(chunk, BY_TEST);
                }
                assertThat(count("outbox_dead_letter")).isEqualTo(1);
            });
            assertThat(count("outbox_retry")).isZero();
        }
    }

    @Test
    void the_grants_in_the_pages_are_all_that_a_person_needs() throws Exception {
        grant("operator", "docs_operator", 1);
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', id, 'order.placed', '{}' from generate_series(1, 4) as id;"
                + " insert into outbox_subscription (name, position) values ('s', 4);"
                + " insert into outbox_dead_letter select 's', 0, id, message_id, aggregate_type, aggregate_id, type, headers,"
                + " payload, payload_bytes, created_at, 10, now(), now(), 'E', 'e', '' from outbox where id < 4");
        var operator = database.unpooledAs("docs_operator", "secret");
        var deadLetters = new DeadLetters(operator);

        assertThat(deadLetters.retryEdited(
                        deadLetters.find("s", 1).orElseThrow(),
                        new StoredContent(Optional.empty(), Optional.of("{\"a\": 1}"), Optional.empty()),
                        BY_TEST))
                .isTrue();
        assertThat(deadLetters.retry(frozen(operator, 1), BY_TEST)).isEqualTo(1);
        var discards = new Discards(operator, Duration.ofDays(7));
        assertThat(discards.discard(frozen(operator, 1), UUID.randomUUID(), BY_TEST))
                .isEqualTo(1);
        var retries = new Retries(operator);
        assertThat(retries.retry(waiting(operator), BY_TEST)).isEqualTo(1);
        assertThat(retries.giveUp(waiting(operator), BY_TEST)).isEqualTo(1);
        assertThat(deadLetters.retry(frozen(operator, 1), BY_TEST)).isEqualTo(1);
        Replay replay = Replay.of(operator, "s", replayOfAll(), true);
        assertThat(new Jobs(operator)
                        .run(new Jobs.Task("replay", Optional.of("s"), replay.details()), BY_TEST)
                        .done())
                .isEqualTo(1); // the one that was never dead
        var subscriptions = new Subscriptions(operator);
        assertThat(subscriptions.pause("s", BY_TEST)).isTrue();
        assertThat(subscriptions.resume("s", BY_TEST)).isTrue();
        subscriptions.delete("s", subscriptions.content("s"), BY_TEST);
        assertThat(subscriptions.names()).isEmpty();
        assertThat(new Audit(operator).latest(Optional.empty(), Long.MAX_VALUE, 10))
                .hasSize(10);
    }

    private static Selection.Chunk waiting(DataSource operator) throws SQLException {
        return Selection.of(new WaitingSearch(operator).first(MessageFilter.ALL, 1))
                .chunks(1)
                .get(0);
    }

    private static Selection.Chunk frozen(DataSource operator, int size) throws SQLException {
        return Selection.of(new DeadLetterSearch(operator).first(MessageFilter.ALL, size))
                .chunks(size)
                .iterator()
                .next();
    }

    private static ReplayFilter replayOfAll() {
        return new ReplayFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of("order.*"),
                Optional.empty());
    }

    private void grant(String nameInPages, String role, int block) throws SQLException {
        database.execute("create role " + role + " login password 'secret'");
        database.execute(DocsPage.read("docs/configuration.md")
                .blocksBelow("## Database roles")
                .get(block)
                .content()
                .replace(" to " + nameInPages + ";", " to " + role + ";"));
    }

    /** The payload of each is its number, from 1. */
    private void insert(String... keys) throws SQLException {
        for (int i = 0; i < keys.length; i++) {
            database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '"
                    + keys[i] + "', 'order.placed', '" + (i + 1) + "')");
        }
    }

    private long count(String table) throws SQLException {
        return database.number("select count(*) from " + table);
    }

    private void awaitOwner() throws Exception {
        eventually(Duration.ofSeconds(30), () -> assertThat(
                        database.number("select count(*) from outbox_subscription where owner is not null"))
                .isEqualTo(1));
    }

    private Settings settings(String role) {
        Map<String, String> settings = new HashMap<>(DocsPage.read("README.md").properties());
        settings.put("order-webhook.url", webhook.url() + "/hooks/orders");
        settings.put("caravan.db.url", database.url());
        settings.put("caravan.db.user", role);
        settings.put(
                "caravan.db.password",
                role.equals(TestPostgres.server().user())
                        ? TestPostgres.server().password()
                        : "secret");
        settings.put("caravan.routes", routes.toString());
        settings.put("camel.management.enabled", "false");
        return Settings.load(Path.of("application.properties"), settings);
    }

    private Answer answer(TestHttp.Request request) {
        String key = request.header("aggregate-id");
        Refusal refusal = refusals.getOrDefault(key, new Refusal(204, 0));
        if (refusal.times() == 0) {
            taken.add(key + " " + request.text());
            return Answer.of(204);
        }
        refusals.put(key, new Refusal(refusal.status(), refusal.times() - 1));
        return Answer.of(refusal.status());
    }
}
