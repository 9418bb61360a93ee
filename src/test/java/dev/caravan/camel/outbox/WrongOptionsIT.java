package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class WrongOptionsIT {
    @Test
    void an_unknown_option_is_refused_with_the_nearest_one() {
        starting("orders?concurency=5&tipes=a")
                .hasMessageContaining("unknown option concurency, did you mean concurrency?")
                .hasMessageContaining("unknown option tipes, did you mean types?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "greedy=false",
                "initialDelay=5s",
                "delay=5",
                "timeUnit=SECONDS",
                "useFixedDelay=false",
                "backoffMultiplier=2",
                "repeatCount=1",
                "startScheduler=false",
                "scheduler=spring",
                "scheduler.cron=daily"
            })
    void an_option_of_the_scheduler_of_camel_is_refused(String option) {
        String name = option.replaceFirst("=.*", "");
        starting("orders?" + option).hasMessageContaining("option " + name + " of Camel's scheduler cannot be used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "maxRetryAfter=1h",
                "batchSize=10",
                "maxDelay=1s",
                "onConsume=x",
                "maxMessagesPerPoll=5",
                "useIterator=true"
            })
    void an_option_that_would_do_nothing_is_refused(String option) {
        starting("orders?" + option).hasMessageContaining("unknown option " + option.replaceFirst("=.*", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "concurrency=0      | concurrency must be between 1 and 1000, got 0",
                "concurrency=1001   | concurrency must be between 1 and 1000, got 1001",
                "batchBytes=1       | batchBytes must be between 1024 and 1073741824, got 1",
                "window=1000001     | window must be between 1 and 1000000, got 1000001",
                "saveInterval=0ms      | saveInterval must be between 1ms and 1m, got 0ms",
                "backoff=0ms          | backoff must be between 1ms and 1d, got 0ms",
                "backoff=5000ms&maxBackoff=10ms | maxBackoff (10ms) is shorter than backoff (5000ms)",
                "maxAttempts=0      | maxAttempts must be between 1 and 1000, got 0",
                "maxAge=0ms           | maxAge must be between 1ms and 365d, got 0ms",
                "maxAge=5           | maxAge must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "lanes=0            | lanes must be between 1 and 64, got 0",
                "lanes=65           | lanes must be between 1 and 64, got 65",
                "order=strict&lanes=2 | order=strict and lanes (2) cannot be combined",
                "onDead=wait        | onDead must be continue or block, got wait",
                "order=none&pipelined=true  | order none and pipelined cannot be combined",
                "start=tomorrow     | start must be earliest, latest, an id from 1, or a time such as 2026-01-31T00:00:00Z, got tomorrow",
                "start=0            | start must be earliest",
                "types=             | types must name at least one type",
                "rate=0/s           | rate: the number of messages must be between 1 and 1000000, got 0",
                "rate=-5/s          | rate: '-5/s' is not a rate such as 50/s, 100/min or 500/h",
                "rate=1000001/h     | rate: the number of messages must be between 1 and 1000000, got 1000001",
                "rate=50            | rate: '50' is not a rate such as 50/s, 100/min or 500/h",
                "rate=50/s&burst=0  | burst must be between 1 and 1000000, got 0",
                "rate=50/s&burst=-1 | burst must be between 1 and 1000000, got -1",
                "rate=50/s&burst=2000000 | burst must be between 1 and 1000000, got 2000000",
                "rate=50/s&burst=3&lanes=4 | burst (3) is smaller than lanes (4)",
                "burst=5            | burst has no effect without rate",
                "types=order.*,,x   | types must name at least one type",
            })
    void a_wrong_value_is_refused_with_what_is_allowed(String options, String message) {
        starting("orders?" + options).hasMessageContaining(message);
    }

    @Test
    void an_unknown_order_is_refused() {
        starting("orders?order=random").hasStackTraceContaining("random");
    }

    @ParameterizedTest
    @ValueSource(strings = {".orders", "-orders", "_orders"})
    void a_name_that_begins_with_punctuation_is_refused_with_the_rule(String name) {
        starting(name).hasMessageContaining("begin with a letter or digit, got " + name);
    }

    @Test
    void all_problems_are_reported_at_once() {
        starting("Orders?concurrency=0&window=0&start=x")
                .hasMessageContaining("the name must be")
                .hasMessageContaining("got Orders")
                .hasMessageContaining("concurrency")
                .hasMessageContaining("window")
                .hasMessageContaining("start must be");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 50, 3_600_001})
    void a_lease_that_cannot_be_kept_is_refused(long millis) {
        assertThatThrownBy(() -> start("orders", component -> component.setLeaseDuration(millis)))
                .hasStackTraceContaining("leaseDuration must be between 100ms and 1h, got " + millis + "ms");
    }

    @Test
    void a_retention_or_partition_size_out_of_range_is_refused() {
        assertThatThrownBy(() -> start("orders", component -> component.setAuditRetention("1h")))
                .hasStackTraceContaining("auditRetention must be a duration from 1d to 3650d, such as 365d, got 1h");
        assertThatThrownBy(() -> start("orders", component -> component.setPartitionSize(10)))
                .hasStackTraceContaining("partitionSize must be a number between 1000 and 1000000000000, got 10");
        assertThatThrownBy(() -> start("orders", component -> component.setRetention("long")))
                .hasStackTraceContaining("retention must be an age such as 12h, 7d or 30d, or off, got long");
    }

    @Test
    void a_missing_data_source_is_refused() {
        assertThatThrownBy(() -> TestRelay.start(null, "orders", exchange -> {}, component -> {}))
                .rootCause()
                .hasMessageContaining("The component outbox has no data source, and the registry has none");
    }

    @Test
    void allowed_values_start() {
        assertThatCode(() -> start("orders.v2_x-1?concurrency=1000&window=1&start=17", component -> {}))
                .doesNotThrowAnyException();
    }

    private static AbstractThrowableAssert<?, ?> starting(String uri) {
        return (AbstractThrowableAssert<?, ?>)
                assertThatThrownBy(() -> start(uri, component -> {})).rootCause();
    }

    /** The options are checked before the database is asked anything. */
    private static void start(String uri, java.util.function.Consumer<OutboxComponent> options) throws Exception {
        var absent = dev.caravan.database.Database.unpooled("jdbc:postgresql://localhost:1/none", "none", "none");
        TestRelay.start(absent, uri, exchange -> {}, options).close();
    }

    @Test
    void a_route_that_never_started_is_closed_without_a_warning() throws Exception {
        try (var log = WrittenLog.of(Class.forName("org.apache.camel.impl.engine.InternalServiceManager"))) {
            var camel = new DefaultCamelContext();
            camel.setAutoStartup(false);
            camel.getComponent("outbox", OutboxComponent.class).setLaneConnections(new PGSimpleDataSource());
            RouteBuilder.addRoutes(camel, routes -> routes.from("outbox:orders").to("log:orders"));
            camel.start();

            camel.close();

            assertThat(log.lines()).isEmpty();
        }
    }
}
