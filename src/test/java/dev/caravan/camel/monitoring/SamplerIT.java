package dev.caravan.camel.monitoring;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sampler, one read after the other. */
class SamplerIT {
    private final TestOutbox outbox = TestOutbox.create();
    private SwitchedDataSource database;
    private Sampler sampler;

    @BeforeEach
    void create() throws Exception {
        database = new SwitchedDataSource(outbox.dataSource());
        sampler = new Sampler(database, Retention.UNLIMITED, Clock.SYSTEM);
    }

    @Test
    void each_read_passes_a_sample_to_every_listener() throws Exception {
        List<Sample> heard = new ArrayList<>();
        sampler.listen(sample -> {
            throw new IllegalStateException("one that fails harms no other");
        });
        sampler.listen(heard::add);
        outbox.execute("insert into outbox_subscription (name, position) values ('sms', 0)");

        sampler.samplePartitions();
        sampler.sample();
        sampler.sample();

        assertThat(heard).hasSize(2);
        assertThat(sampler.latest()).contains(heard.get(1));
        assertThat(heard.get(0).subscriptions())
                .extracting(SubscriptionStatus::name)
                .containsExactly("sms");
        assertThat(heard.get(0).partitions()).isNotEmpty();
        assertThat(sampler.problem()).isEmpty();
    }

    @Test
    void while_the_database_is_unavailable_the_last_sample_stays_and_its_age_grows() {
        assertThat(sampler.latest()).isEmpty();
        assertThat(sampler.age()).isEmpty();
        assertThat(sampler.problem()).as("before the first sample").isPresent();
        sampler.sample();
        Sample before = sampler.latest().orElseThrow();
        var age = sampler.age().orElseThrow();

        database.refuses();
        sampler.sample();
        sampler.sample();

        assertThat(sampler.latest()).containsSame(before);
        assertThat(sampler.age().orElseThrow()).isGreaterThan(age);
        assertThat(sampler.problem().orElseThrow())
                .startsWith("Database unavailable since 20")
                .contains("Connection to db refused");

        database.answers();
        sampler.sample();
        assertThat(sampler.latest().orElseThrow()).isNotSameAs(before);
        assertThat(sampler.problem()).isEmpty();
    }

    @Test
    void partitions_that_cannot_be_read_hide_neither_lag_nor_bulk_retries() {
        Scraped meters = new Scraped();
        meters.add(new SampleMeters(sampler));
        outbox.insert("a");
        outbox.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        outbox.execute("insert into outbox_job (action, subscription, details, first, state, total, who, via)"
                + " values ('retry', 'sms', '{\"of\": \"dead letters\"}', 5, 'running', 9, 'anna', 'token')");

        database.partitionsTimeOut();
        try (WrittenLog log = WrittenLog.of(Sampler.class)) {
            sampler.samplePartitions();
            sampler.samplePartitions();
            sampler.sample();

            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("Could not read"))
                    .singleElement()
                    .asString()
                    .contains("Could not read the partitions");
        }

        assertThat(sampler.problem()).isEmpty();
        assertThat(meters.value("caravan_lag_seconds", "subscription", "sms")).isPositive();
        assertThat(meters.value("caravan_backlog_messages", "subscription", "sms"))
                .isEqualTo(1);
        assertThat(meters.value("caravan_bulk_retries", "state", "running", "subscription", "sms"))
                .isEqualTo(1);
        assertThat(meters.value("caravan_partitions_ahead")).isNaN();
        assertThat(meters.value("caravan_pruning_held_back", "subscription", "sms"))
                .isNaN();
        assertThat(meters.value("caravan_partitions_age_seconds")).isNaN();

        database.partitionsAnswer();
        sampler.samplePartitions();
        sampler.sample();
        assertThat(meters.value("caravan_partitions_ahead")).isZero();
        assertThat(meters.value("caravan_partitions_age_seconds")).isLessThan(60);
    }

    @Test
    void partitions_that_are_not_answered_do_not_delay_the_rest() throws Exception {
        database.partitionsHang();
        try (Sampler started = sampler) {
            started.start();
            eventually(() -> assertThat(sampler.latest()).isPresent());
            eventually(() -> assertThat(sampler.problem()).isEmpty());
            assertThat(sampler.partitionsAge()).isEmpty();

            database.partitionsAnswer();
            eventually(() -> assertThat(sampler.partitionsAge()).isPresent());
        }
    }

    @Test
    void tables_that_no_longer_fit_are_reported() throws Exception {
        sampler.sample();
        outbox.execute("alter table outbox_retry drop column edited");

        for (int look = 0; look < 7; look++) {
            sampler.sample();
        }

        assertThat(sampler.problem().orElseThrow()).contains("outbox_retry.edited does not exist");
        outbox.execute("alter table outbox_retry add column edited boolean not null default false");
        sampler.sample();
        assertThat(sampler.problem()).isEmpty();
    }
}
