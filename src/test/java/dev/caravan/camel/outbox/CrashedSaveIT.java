package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.database.Database;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.store.CommitUnknown;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.engine.store.SubscriptionStore.TransactionState;
import dev.caravan.lab.servers.StoppablePostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Postgres crashes in the middle of a save, or just after it. */
class CrashedSaveIT {
    private static final Save SAVE = new Save(
            new ProgressToSave(1, IdRanges.parse("{}"), null),
            List.of(new Change.Block(Delivery.fresh(new Message(
                    1, new UUID(0, 1), new Key("order", "a"), "order.created", null, "{}", Instant.EPOCH)))),
            0,
            ProvenSession.NONE);

    @TempDir
    private Path folder;

    /** Its transaction id, which was not in the log yet, is assigned to another transaction, which commits. */
    @Tag("long")
    @Test
    void a_save_lost_in_a_crash_is_not_confused_with_the_transaction_that_got_its_id() throws Exception {
        try (var postgres = new StoppablePostgres(folder.resolve("data"))) {
            DataSource database = Database.unpooled(postgres.url(postgres.port()), "postgres", "");
            applied(database);
            JdbcTemplate jdbc = new JdbcTemplate(FailingSaves.atFirstCommit(database, connection -> postgres.crash()));
            SubscriptionStore store = new SubscriptionStore(
                    jdbc, LaneId.only("orders"), "relay", Duration.ofMinutes(1), false, Clock.SYSTEM);
            store.rows().create(Start.parse("earliest"));
            long epoch = store.claim(new String[] {"%"}).orElseThrow().epoch();

            var unanswered = catchThrowableOfType(CommitUnknown.class, () -> store.save(epoch, SAVE));
            postgres.start();
            for (int transaction = 0; transaction < 100; transaction++) {
                jdbc.execute("select pg_current_xact_id()");
            }

            assertThat(store.stateOfSave(epoch, unanswered.number())).isEqualTo(TransactionState.ABORTED);
            assertThat(store.save(epoch, SAVE)).isPresent();
        }
    }

    @Test
    void a_saved_message_survives_a_crash_even_if_commits_do_not_wait_for_the_disk() throws Exception {
        try (var postgres = new StoppablePostgres(folder.resolve("data"))) {
            DataSource database = Database.unpooled(postgres.url(postgres.port()), "postgres", "");
            applied(database);
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute("alter role postgres set synchronous_commit = off");
            jdbc.execute("alter system set wal_writer_delay = '10s'");
            jdbc.execute("select pg_reload_conf()");
            jdbc.execute(
                    "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'order.created')");
            SubscriptionStore store = new SubscriptionStore(
                    jdbc, LaneId.only("orders"), "relay", Duration.ofMinutes(1), false, Clock.SYSTEM);
            store.rows().create(Start.parse("earliest"));
            long epoch = store.claim(new String[] {"%"}).orElseThrow().epoch();

            assertThat(store.save(epoch, SAVE)).isPresent();
            postgres.crash();
            postgres.start();

            assertThat(jdbc.queryForList("select id from outbox_retry", Long.class))
                    .containsExactly(1L);
        }
    }

    /** Tables with one message. */
    private static void applied(DataSource database) throws SQLException {
        new Schema(database).apply();
        new JdbcTemplate(database)
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'order.created')");
    }
}
