package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveReloadIT {
    private static final Duration RELOAD = Duration.ofSeconds(30);

    @TempDir
    private Path routes;

    private final TestOutbox database = TestOutbox.create();
    private RouteFolder folder;
    private Relay relay;

    @BeforeEach
    void start() throws Exception {
        folder = new RouteFolder(routes);
        folder.write("orders", route("orders", ""));
        relay = Relay.start(database.settingsWithRoutes(routes, Map.of()));
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        Arrivals.forget();
    }

    @Test
    void a_new_file_starts_a_new_destination_while_the_others_continue() throws Exception {
        database.insertMany(100, 10);
        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(100));

        folder.write("late", route("late", "")); // the relay checks the folder by itself

        eventually(RELOAD, () -> assertThat(Arrivals.at("late")).hasSize(100));
        database.insertMany(100, 10);
        eventually(() -> {
            assertThat(Arrivals.at("orders")).hasSize(200).doesNotHaveDuplicates();
            assertThat(Arrivals.at("late")).hasSize(200).doesNotHaveDuplicates();
        });
        assertThat(database.jdbc()
                        .queryForObject("select epoch from outbox_subscription where name = 'orders'", Long.class))
                .isEqualTo(1); // was never stopped
    }

    @Test
    void a_changed_file_takes_effect_while_messages_flow_and_none_is_lost_or_repeated() throws Exception {
        int total = 0;
        for (; Arrivals.at("orders").size() < 500; total += 100) {
            database.insertMany(100, 10);
        }

        folder.replace("orders", route("orders", "new"));
        lookTwice();

        assertThatAllArriveOnce("orders", total, "orders", "ordersnew");
    }

    @Tag("long")
    @Test
    void a_subscription_moves_to_a_route_of_another_file_while_messages_flow_and_none_is_lost_or_repeated()
            throws Exception {
        int total = 0;
        for (; Arrivals.at("orders").size() < 500; total += 100) {
            database.insertMany(100, 10);
        }

        folder.write("a-moved", route("moved", "").replace("outbox:moved", "outbox:orders"));
        lookTwice();
        assertThat(relay.context().getRoute("moved"))
                .as("two routes cannot read one subscription")
                .isNull();
        folder.remove("orders");
        lookTwice();

        assertThatAllArriveOnce("orders", total, "orders", "moved");
    }

    @Tag("long")
    @Test
    void a_removed_file_releases_its_subscription_and_keeps_its_progress() throws Exception {
        folder.write("late", route("late", ""));
        lookTwice();
        database.insertMany(100, 10);
        eventually(() -> assertThat(Arrivals.at("late")).hasSize(100));

        folder.remove("late");
        lookTwice();

        assertThat(relay.context().getRoute("late")).isNull();
        assertThat(database.jdbc().queryForMap("select position, owner from outbox_subscription where name = 'late'"))
                .containsEntry("position", 100L)
                .containsEntry("owner", null);
        folder.write("late", route("late", ""));
        lookTwice();
        database.insertMany(100, 10);
        eventually(() -> assertThat(Arrivals.at("late")).hasSize(200).doesNotHaveDuplicates());
    }

    @Tag("long")
    @Test
    void a_relay_that_starts_on_a_config_map_loads_its_next_version() throws Exception {
        relay.close();
        folder.remove("orders");
        folder.swap(Map.of("orders", route("orders", "one")));
        relay = Relay.start(database.settingsWithRoutes(routes, Map.of()));
        database.insertMany(50, 10);
        eventually(() -> assertThat(Arrivals.at("ordersone")).hasSize(50));

        folder.swap(Map.of("orders", route("orders", "two")));
        lookTwice();

        database.insertMany(50, 10);
        eventually(() -> assertThat(Arrivals.at("orderstwo")).hasSize(50));
        assertThat(Arrivals.at("ordersone")).hasSize(50);
    }

    @Test
    void a_change_that_a_running_route_does_not_survive_restores_it() throws Exception {
        database.insertMany(50, 10);
        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(50));

        folder.write("orders", "- route: {id: orders, from: {uri: 'outbox:orders'");
        lookTwice();
        folder.write("orders", route("orders", "").replace("outbox:orders", "outbox:orders?tipes=a"));
        lookTwice();
        database.insertMany(50, 10);

        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(100).doesNotHaveDuplicates());
    }

    @Test
    void a_refused_file_delivers_nothing_and_creates_no_subscription() throws Exception {
        String refused = route("wrong", "").replace("outbox:wrong", "outbox:wrong?concurrency=0");
        folder.write("orders", route("orders", "new") + refused);
        folder.write("late", route("late", "") + refused);
        lookTwice();
        database.insertMany(50, 10);

        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(50).doesNotHaveDuplicates());
        assertThat(database.jdbc().queryForList("select name from outbox_subscription", String.class))
                .containsExactly("orders");
        assertThat(Arrivals.at("ordersnew")).isEmpty();
    }

    @Tag("long")
    @Test
    void a_change_of_the_route_dead_letter_takes_effect() throws Exception {
        folder.write(
                "late",
                route("late", "")
                        .replace("direct:", "outbox:")
                        .replace("- setHeader", """
                - throwException:
                            exceptionType: java.lang.IllegalStateException
                            message: always
                        - setHeader""")
                        .replace("outbox:late", "outbox:late?maxAttempts=1"));
        folder.write("dead", route("dead-letter", "").replace("outbox:", "direct:"));
        lookTwice();
        database.insertMany(1, 10);
        eventually(() -> assertThat(Arrivals.at("dead-letter")).hasSize(1));

        folder.write("dead", route("dead-letter", "new").replace("outbox:", "direct:"));
        lookTwice();
        database.insertMany(1, 10);

        eventually(() -> assertThat(Arrivals.at("dead-letternew")).hasSize(1));
    }

    private void lookTwice() {
        relay.liveReload().look();
        relay.liveReload().look();
    }

    private void assertThatAllArriveOnce(String subscription, int inserted, String before, String after)
            throws Exception {
        int total = inserted;
        while (Arrivals.at(after).size() < 500) {
            database.insertMany(100, 10);
            total += 100;
            long all = total;
            eventually(() -> assertThat(database.passed(subscription, all)).isTrue());
        }
        var arrived = Stream.concat(Arrivals.at(before).stream(), Arrivals.at(after).stream());
        assertThat(arrived)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, total).boxed().toList());
    }

    private static String route(String id, String mark) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      steps:
                        - setHeader:
                            name: mark
                            expression:
                              constant:
                                expression: "%2$s"
                        - process:
                            ref: "#class:dev.caravan.relay.Arrivals"
                """.formatted(id, mark);
    }
}
