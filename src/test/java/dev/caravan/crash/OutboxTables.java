package dev.caravan.crash;

import dev.caravan.TestPostgres;
import dev.caravan.lab.servers.Await;
import dev.caravan.progress.IdRanges;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A fresh database with the tables of the outbox, which writes down every change of a subscription. */
final class OutboxTables {
    private static final String HISTORY = """
            create table history (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                lane integer not null,
                owner text,
                epoch bigint not null,
                lease_until timestamptz,
                position bigint not null,
                gaps int8multirange not null
            );
            create function remember() returns trigger language plpgsql as $$
            begin
                insert into history (lane, owner, epoch, lease_until, position, gaps)
                values (new.lane, new.owner, new.epoch, new.lease_until, new.position,
                        new.gaps + coalesce(new.older_gaps, '{}'));
                return null;
            end $$;
            create trigger remember after insert or update on outbox_subscription
                for each row execute function remember();
            """;

    /** A message of the outbox. */
    record Row(long id, String messageId) {}

    /** What the subscription stood at when an epoch was over. */
    public record Saved(long epoch, String owner, long position, IdRanges gaps) {
        /** How many ids. */
        long acknowledged() {
            return position - gaps.count();
        }

        boolean acknowledged(long id) {
            return id <= position && !gaps.contains(id);
        }
    }

    private final String database;

    private OutboxTables(String database) {
        this.database = database;
    }

    static OutboxTables create() throws SQLException {
        OutboxTables tables = new OutboxTables(TestPostgres.databaseWithTables());
        tables.execute(HISTORY);
        return tables;
    }

    Map<String, String> settings() {
        return Map.of(
                "caravan.db.url", TestPostgres.server().url(database),
                "caravan.db.user", TestPostgres.server().user(),
                "caravan.db.password", TestPostgres.server().password());
    }

    DataSource dataSource() {
        return TestPostgres.server().dataSource(database);
    }

    Connection connect() throws SQLException {
        return TestPostgres.server().dataSource(database).getConnection();
    }

    void execute(String sql) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row as text; null if there is no row. */
    String text(String query) throws SQLException {
        try (var connection = connect();
                var rows = connection.createStatement().executeQuery(query)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    /** The relay that holds the lease, or null. */
    String owner() throws SQLException {
        return text("select owner from outbox_subscription");
    }

    /** Ends the lease of a relay that is dead: a test with a long lease, which no busy machine loses, need not wait for its end. */
    void endLease() throws SQLException {
        execute("update outbox_subscription set lease_until = clock_timestamp()");
    }

    long epoch() throws SQLException {
        String epoch = text("select epoch from outbox_subscription");
        return epoch == null ? 0 : Long.parseLong(epoch);
    }

    /** Whether every message is acknowledged and every missing id is settled. */
    boolean isDrained() throws SQLException {
        return "t"
                .equals(text(
                        "select position >= (select coalesce(max(id), 0) from outbox) and isempty(gaps) and older_gaps is null"
                                + " from outbox_subscription"));
    }

    long lastId() throws SQLException {
        return Long.parseLong(text("select coalesce(max(id), 0) from outbox"));
    }

    void awaitOwner(String relay, Duration limit) throws Exception {
        Await.until(relay + " holds the lease", limit, () -> relay.equals(owner()));
    }

    void awaitDrained(Duration limit) throws Exception {
        Await.until("every message is acknowledged", limit, this::isDrained);
    }

    List<Row> messages() throws SQLException {
        List<Row> messages = new ArrayList<>();
        try (var connection = connect();
                var rows = connection
                        .createStatement()
                        .executeQuery(
                                "select id, message_id, aggregate_id, payload->>'sequence' from outbox order by id")) {
            while (rows.next()) {
                messages.add(new Row(rows.getLong(1), rows.getString(2)));
            }
        }
        return messages;
    }

    /** How each epoch ended, in order of epochs; the last one may still go on. */
    List<Saved> endsOfEpochs() throws SQLException {
        List<Saved> ends = new ArrayList<>();
        try (var connection = connect();
                var rows = connection.createStatement().executeQuery("""
                        select distinct on (epoch) epoch, first_value(owner) over (partition by epoch order by n),
                               position, gaps::text
                        from history where epoch > 0 order by epoch, n desc
                        """)) {
            while (rows.next()) {
                ends.add(new Saved(
                        rows.getLong(1), rows.getString(2), rows.getLong(3), IdRanges.parse(rows.getString(4))));
            }
        }
        return ends;
    }

    /**
     * Changes that must never happen, one line each: a position or an epoch that goes back, a message that was acknowledged
     * and is not any more, a new owner while the lease of the old one holds, two owners in one epoch.
     */
    List<String> forbiddenChanges() throws SQLException {
        List<String> changes = new ArrayList<>();
        try (var connection = connect();
                var rows = connection.createStatement().executeQuery("""
                        select format('%s: %s epoch %s position %s gaps %s -> %s epoch %s position %s gaps %s',
                                      n, was_owner, was_epoch, was_position, was_gaps, owner, epoch, position, gaps)
                        from (
                            select *, lag(owner) over w as was_owner, lag(epoch) over w as was_epoch,
                                   lag(lease_until) over w as was_lease, lag(position) over w as was_position,
                                   lag(gaps) over w as was_gaps
                            from history window w as (partition by lane order by n)
                        ) as change
                        where position < was_position
                           or epoch not between was_epoch and was_epoch + 1
                           or not gaps * int8multirange(int8range(0, was_position, '[]')) <@ was_gaps
                           or (epoch > was_epoch and was_owner is not null and was_lease > at)
                           or (epoch = was_epoch and owner <> was_owner)
                        order by n
                        """)) {
            while (rows.next()) {
                changes.add(rows.getString(1));
            }
        }
        return changes;
    }
}
