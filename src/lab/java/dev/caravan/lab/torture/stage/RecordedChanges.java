package dev.caravan.lab.torture.stage;

import dev.caravan.engine.progress.IdRanges;
import dev.caravan.lab.servers.ProgressHistory;
import java.sql.SQLException;
import java.util.List;

/** The changes of the progress and of the side tables, which triggers record in the database. */
public final class RecordedChanges {
    static final String TRIGGERS = ProgressHistory.TRIGGER + """
            create table movement (
                n bigint generated always as identity primary key,
                at timestamptz not null default clock_timestamp(),
                side_table text not null,
                entered boolean not null,
                subscription text not null,
                id bigint not null
            );
            create function move() returns trigger language plpgsql security definer as $$
            begin
                insert into movement (side_table, entered, subscription, id)
                values (tg_table_name, tg_op = 'INSERT', coalesce(new.subscription, old.subscription), coalesce(new.id, old.id));
                return null;
            end $$;
            create trigger move after insert or delete on outbox_retry for each row execute function move();
            create trigger move after insert or delete on outbox_dead_letter for each row execute function move();
            """;

    /** The state of a subscription after a change. */
    public record State(long atMillis, String owner, long epoch, long position, IdRanges gaps) {
        public boolean covers(long id) {
            return id <= position && !gaps.contains(id);
        }
    }

    /** A message that entered or left a side table. */
    public record Movement(long atMillis, String table, boolean entered, String subscription, long id) {}

    private final TorturedOutbox outbox;

    RecordedChanges(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    /** The states of a lane in the order of commit. */
    public List<State> history(String subscription, int lane) throws SQLException {
        return outbox.query(
                "select (extract(epoch from at) * 1000)::bigint, owner, epoch, position, gaps::text from history where name = '"
                        + subscription + "' and lane = " + lane + " order by n",
                row -> new State(
                        row.getLong(1),
                        row.getString(2),
                        row.getLong(3),
                        row.getLong(4),
                        IdRanges.parse(row.getString(5))));
    }

    /** The messages that entered or left a side table, in the order of the changes. */
    public List<Movement> movements() throws SQLException {
        return outbox.query(
                "select (extract(epoch from at) * 1000)::bigint, side_table, entered, subscription, id from movement order by n",
                row -> new Movement(
                        row.getLong(1), row.getString(2), row.getBoolean(3), row.getString(4), row.getLong(5)));
    }

    /** Forbidden changes of the progress, one line each. */
    public List<String> forbiddenChanges() throws SQLException {
        try (var connection = outbox.connect()) {
            return ProgressHistory.forbiddenChanges(connection);
        }
    }
}
