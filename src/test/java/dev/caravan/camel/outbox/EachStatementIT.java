package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Any statement of a relay fails, while it delivers, retries, blocks and gives up messages. With {@code -Dstatements=200} each of the
 * first 200 statements of a round, and not each tenth of the first 60.
 */
@Tag("long")
class EachStatementIT {
    private static final int STATEMENTS = Integer.getInteger("statements", 60);
    private static final int STEP = Integer.getInteger("statements") == null ? 5 : 1;

    /** More options of the route. */
    private static final String OPTIONS = System.getProperty("options", "");

    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private FailingStatement statements;

    @BeforeEach
    void create() throws Exception {
        statements = new FailingStatement(outbox.pool());
        destination.failIf(
                arrival -> arrival.type().equals("poison") || arrival.type().equals("once") && arrival.attempt() == 1);
    }

    @ParameterizedTest
    @EnumSource
    void whatever_fails_nothing_is_lost_and_the_order_holds(FailingStatement.Kind kind) throws Exception {
        int rounds = 0;
        int failed = 0;
        try (var relay = start()) {
            round("first");
            for (int n = 0; n < STATEMENTS; n += STEP) {
                statements.failAfter(n, kind);
                round(kind + " " + n);
                rounds++;
                failed += statements.failed() == null ? 0 : 1;
                statements.stop();
            }
        }
        assertThat(failed).as("rounds in which a statement failed").isGreaterThan(rounds / 2);
    }

    private TestRelay start() throws Exception {
        return TestRelay.start(
                statements,
                component -> {
                    component.setLeaseDuration(2_000);
                    component.setFirstWait(Duration.ofMillis(10));
                },
                routes -> {
                    routes.errorHandler(new NoErrorHandlerBuilder());
                    RouteDefinition route = routes.from("outbox:orders?backoff=5ms&maxAttempts=2" + OPTIONS);
                    if (OPTIONS.contains("batching")) {
                        route.split(routes.body()).process(destination);
                    } else {
                        route.process(destination);
                    }
                });
    }

    /** Messages that are delivered, retried, blocked and given up, until all of them are finished. */
    private void round(String name) throws Exception {
        Set<Long> delivered = new TreeSet<>();
        long dead;
        delivered.add(outbox.insert("a", "order", "{}"));
        delivered.add(outbox.insert("b", "once", "{}"));
        delivered.add(outbox.insert("b", "order", "{}"));
        dead = outbox.insert("c", "poison", "{}");
        delivered.add(outbox.insert("c", "order", "{}"));
        delivered.add(outbox.insert("b", "order", "{}"));
        long last = outbox.insert("d", "order", "{}");
        delivered.add(last);

        eventually(() -> assertThat(destination.ids())
                .as(name + " " + statements.failed())
                .containsAll(delivered));
        eventually(() -> assertThat(outbox.dead("orders"))
                .as(name + " " + statements.failed())
                .contains(dead));
        eventually(() -> assertThat(outbox.waiting("orders"))
                .as(name + " " + statements.failed())
                .isEmpty());
        eventually(() -> assertThat(outbox.passed("orders", last))
                .as(name + " " + statements.failed() + " " + outbox.saved("orders"))
                .isTrue());
        for (String key : OPTIONS.contains("order=none") ? List.<String>of() : List.of("a", "b", "c", "d")) {
            // a batch repeats the messages of a key behind one that failed
            List<Long> ids = new ArrayList<>(destination.idsOf(key));
            if (OPTIONS.contains("batching")) {
                Collections.reverse(ids);
            }
            List<Long> once = new ArrayList<>(new LinkedHashSet<>(ids));
            if (OPTIONS.contains("batching")) {
                Collections.reverse(once);
            }
            assertThat(once).as(name + " " + statements.failed() + " " + key).isSorted();
        }
        assertThat(outbox.number("select sum(delivered) from outbox_subscription"))
                .as(name + " " + statements.failed())
                .isEqualTo(outbox.number("select count(*) from outbox where type <> 'poison'"));
    }
}
