package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.outbox.TestOutbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveReloadIT {
    private static final Duration RELOAD = Duration.ofSeconds(30);

    @TempDir
    private Path routes;

    private TestOutbox database;
    private Relay relay;

    @BeforeEach
    void start() throws Exception {
        database = TestOutbox.create();
        write("orders", route("orders", ""));
        relay = Relay.start(database.settingsWithRoutes(routes, Map.of()));
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        database.close();
        Arrivals.forget();
    }

    @Test
    void a_new_file_starts_a_new_destination_while_the_others_go_on() throws Exception {
        database.insertMany(100, 10);
        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(100));

        write("late", route("late", ""));

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

        write("orders", route("orders", "new"));

        while (Arrivals.at("ordersnew").size() < 500) {
            database.insertMany(100, 10);
            total += 100;
            long all = total;
            eventually(RELOAD, () -> assertThat(database.passed("orders", all)).isTrue());
        }
        var arrived = Stream.concat(Arrivals.at("orders").stream(), Arrivals.at("ordersnew").stream());
        assertThat(arrived)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, total).boxed().toList());
    }

    @Test
    void a_broken_file_leaves_the_others_running_and_can_be_mended() throws Exception {
        write("broken", "- route: {id: broken, from: {uri: 'outbox:broken?tipes=a'");
        write("wrong", route("wrong", "").replace("outbox:wrong", "outbox:wrong?tipes=a"));
        write("late", route("late", ""));
        database.insertMany(50, 10);
        eventually(RELOAD, () -> assertThat(Arrivals.at("late")).hasSize(50)); // the folder was looked at
        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(50));

        write("broken", route("broken", ""));
        write("wrong", route("wrong", ""));

        eventually(RELOAD, () -> {
            assertThat(Arrivals.at("broken")).hasSize(50);
            assertThat(Arrivals.at("wrong")).hasSize(50);
        });
        assertThat(Arrivals.at("orders")).hasSize(50);
    }

    @Test
    void a_change_that_breaks_a_running_route_leaves_it_as_it_was() throws Exception {
        database.insertMany(50, 10);
        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(50));

        write("orders", "- route: {id: orders, from: {uri: 'outbox:orders'");
        write("late", route("late", ""));
        eventually(RELOAD, () -> assertThat(Arrivals.at("late")).hasSize(50)); // the folder was looked at
        database.insertMany(50, 10);

        eventually(() -> assertThat(Arrivals.at("orders")).hasSize(100).doesNotHaveDuplicates());
    }

    /** The file appears at once, as with the editors and deployments that rename. */
    private void write(String name, String yaml) throws IOException {
        Path draft = Files.writeString(routes.resolve(name + ".draft"), yaml);
        Files.move(
                draft,
                routes.resolve(name + ".camel.yaml"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
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
