package dev.caravan.operate.housekeeping;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.CountedBuffers;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Notices;
import dev.caravan.operate.watch.OutboxSurvey;
import dev.caravan.operate.watch.Sample;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What a relay runs regularly, on an outbox that retains delivered messages. */
class RetainedMessagesIT {
    private static final Retention WEEK = Retention.of(Duration.ofDays(7));
    private static final int FULL = 3;
    private static final int NEW = 20;
    /** For one more level of an index in each of its places. */
    private static final long A_FEW = 40;

    /** A regular task of a relay, and statements that it runs. */
    private enum Task {
        SUBSCRIPTIONS("operate/first_needed", "operate/list_subscriptions") {
            @Override
            void run(DataSource database) throws SQLException {
                SubscriptionStatus.all(database);
            }
        },
        PARTITIONS("operate/partitions", "operate/ends", "operate/holders") {
            @Override
            void run(DataSource database) throws SQLException {
                new PartitionReader().states(database, WEEK);
            }
        },
        SIZES("operate/partitions") {
            @Override
            void run(DataSource database) throws SQLException {
                new PartitionReader().all(database, WEEK);
            }
        },
        PRUNING("operate/drop_pruned", "operate/partitions", "operate/holders") {
            @Override
            void run(DataSource database) throws Exception {
                new PruneRound(database, WEEK, Clock.SYSTEM).run();
            }
        },
        PARTITIONS_AHEAD("operate/lock_partitions", "operate/partition_bounds") {
            @Override
            void run(DataSource database) throws SQLException {
                new Partitions(database, 10_000, 2, Clock.SYSTEM).makeAhead();
            }
        },
        JOBS("operate/running_jobs", "operate/prune_jobs", "operate/job_counts") {
            @Override
            void run(DataSource database) throws SQLException {
                Jobs jobs = new Jobs(database);
                jobs.stepAll();
                jobs.prune();
                Jobs.counts(database);
            }
        },
        OLD_ROWS("database/prune_idempotent", "operate/prune_discarded", "operate/prune_audit") {
            @Override
            void run(DataSource database) throws SQLException {
                new IdempotentIds(database, Duration.ofDays(30)).prune();
                new Discards(database, Duration.ofDays(7)).prune();
                new AuditRetention(database, Duration.ofDays(365)).prune();
            }
        },
        SCHEMA(
                "database/check_tables",
                "database/check_outbox",
                "database/check_highest_id",
                "database/check_failed_ids",
                "database/check_privileges") {
            @Override
            void run(DataSource database) throws SQLException {
                new SchemaCheck(database).problems();
                new SchemaCheck(database).messagesAhead();
            }
        },
        DIAGNOSIS(
                "operate/open_transactions",
                "operate/recent_dead_letters",
                "operate/store_history",
                "operate/take_turn",
                "operate/known_problems") {
            @Override
            void run(DataSource database) throws SQLException {
                List<SubscriptionStatus> all = SubscriptionStatus.all(database);
                List<Partition> partitions = new PartitionReader().states(database, WEEK);
                RecentSamples samples = new RecentSamples();
                samples.add(new Sample(Clock.SYSTEM.now(), all, partitions, List.of(), List.of()));
                new StoredHistory(database).add(samples);
                new Notices(database, Duration.ofHours(4))
                        .write(Diagnosis.of(database, samples, all, List.of(), partitions, Set.of()));
            }
        },
        SURVEY("operate/outboxes", "operate/running_relays") {
            @Override
            void run(DataSource database) throws SQLException {
                OutboxSurvey.once(database);
            }
        },
        LANES("engine/read", "engine/claim", "engine/survey", "engine/retry_due", "engine/save_progress") {
            @Override
            void run(DataSource database) throws Exception {
                AtomicInteger arrived = new AtomicInteger();
                try (TestRelay relay = TestRelay.start(
                        database,
                        "current?backoff=5ms",
                        exchange -> {
                            if (arrived.incrementAndGet() == 1) {
                                throw new IllegalStateException("the first attempt fails");
                            }
                        },
                        component -> {})) {
                    eventually(() -> assertThat(arrived.get()).isEqualTo(NEW + 1));
                    eventually(() -> assertThat(
                                    SubscriptionStatus.all(database).get(0).backlog())
                            .isZero());
                }
            }
        };

        private final List<String> statements;

        Task(String... statements) {
            this.statements = List.of(statements);
        }

        abstract void run(DataSource database) throws Exception;
    }

    @Test
    void what_runs_regularly_costs_the_same_however_many_messages_are_retained() throws Exception {
        Map<String, Long> few = buffers(2_000);
        Map<String, Long> many = buffers(20_000);

        assertThat(many.keySet())
                .containsAll(List.of(Task.values()).stream()
                        .flatMap(task -> task.statements.stream())
                        .toList());
        assertThat(many)
                .allSatisfy((statement, buffers) ->
                        assertThat(buffers).as(statement).isLessThanOrEqualTo(few.getOrDefault(statement, 0L) + A_FEW));
    }

    private static Map<String, Long> buffers(int perPartition) throws Exception {
        try (TestOutbox outbox = outbox(perPartition)) {
            CountedBuffers database = new CountedBuffers(outbox.pool());
            for (Task task : Task.values()) {
                task.run(database);
            }
            return database.most();
        }
    }

    /** Full partitions with delivered messages, older than the retention and held back, and some new messages in the current one. */
    private static TestOutbox outbox(int perPartition) throws SQLException {
        TestOutbox outbox = TestOutbox.create();
        outbox.execute("drop table outbox_from_0");
        for (long lower = 0; lower <= FULL * perPartition; lower += perPartition) {
            outbox.execute("create table outbox_from_%d partition of outbox for values from (%d) to (%d)"
                    .formatted(lower, lower, lower + perPartition));
        }
        outbox.insert(FULL * perPartition - 1);
        outbox.execute("update outbox set created_at = now() - interval '30 days'");
        outbox.insert(NEW);
        long delivered = FULL * perPartition - 1L;
        outbox.execute(("insert into outbox_subscription (name, position, gaps, paused, saved_at) values"
                        + " ('current', %1$d, '{}', false, now()), ('left', 0, '{}', true, now()),"
                        + " ('gaps', %1$d, '{[5,6),[1500,1600),[%2$d,%3$d)}', false, now())")
                .formatted(delivered, delivered - 10, delivered - 8));
        outbox.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'gaps', id, message_id, aggregate_type, aggregate_id, type, created_at, 1, now(), now(), 'c', 't', 's'"
                        + " from outbox where id in (7, 8)");
        outbox.execute("insert into outbox_discarded (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, edited, error_group, discard, discarded_at, who, reason)"
                + " select 'gaps', 7, message_id, aggregate_type, aggregate_id, type, created_at, 1, now(), now(), 'c', 't', 's',"
                + " false, 1, message_id, now(), 'anna', 'test' from outbox where id = 7");
        outbox.execute("vacuum analyze");
        return outbox;
    }
}
