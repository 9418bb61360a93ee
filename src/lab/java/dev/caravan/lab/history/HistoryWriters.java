package dev.caravan.lab.history;

import dev.caravan.database.Sql;
import dev.caravan.lab.history.plan.HistoryClock;
import dev.caravan.lab.history.plan.Step;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The sessions of an application. As an application should, a transaction locks the keys of its messages until it ends: an insert
 * of a key that another one has locked has no effect.
 */
final class HistoryWriters implements AutoCloseable {
    private static final String TYPE = "order.created";
    private static final String OTHER_TYPE = "other";
    private static final String INSERT = "insert into outbox (aggregate_type, aggregate_id, type, payload)"
            + " select 'order', ?, ?, '{}' from generate_series(1, ?) returning id, message_id";

    private final class Writer {
        final Connection connection;
        final String name;
        final List<Long> written = new ArrayList<>();
        final Set<Integer> keys = new HashSet<>();
        boolean begun;
        /** Whether its transaction is prepared. It begins no other one before that one has ended. */
        boolean prepared;

        Writer(int number, HistoryDatabase database) throws SQLException {
            name = "writer" + number;
            connection = database.writer(number);
            connection.setAutoCommit(false);
        }

        void insert(int key, String type, int count) throws SQLException {
            if (prepared || !keys.contains(key) && !locked.add(key)) {
                return;
            }
            keys.add(key);
            begun = true;
            try (var insert = connection.prepareStatement(INSERT)) {
                insert.setString(1, "k" + key);
                insert.setString(2, type);
                insert.setInt(3, count);
                try (var rows = insert.executeQuery()) {
                    while (rows.next()) {
                        long id = rows.getLong(1);
                        UUID messageId = rows.getObject(2, UUID.class);
                        written.add(id);
                        messages.forEach(each -> each.written(id, messageId, key, type, clock.micros()));
                    }
                }
            }
        }

        void execute(String sql) throws SQLException {
            Sql.execute(connection, sql);
        }

        void undoneInsert(int key) throws SQLException {
            if (prepared) {
                return;
            }
            begun = true;
            execute("savepoint s");
            int before = written.size();
            insert(key, TYPE, 1);
            execute("rollback to savepoint s");
            List<Long> undone = written.subList(before, written.size());
            undone.forEach(id -> messages.forEach(each -> each.undone(id)));
            undone.clear();
        }

        void end(boolean commits) throws SQLException {
            if (prepared || !begun) {
                return;
            }
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            ended(commits);
        }

        void prepare() throws SQLException {
            if (begun && !prepared) {
                execute("prepare transaction '" + name + "'");
                connection.commit();
                prepared = true;
            }
        }

        void endPrepared(boolean commits) throws SQLException {
            if (prepared) {
                connection.rollback();
                connection.setAutoCommit(true);
                execute((commits ? "commit" : "rollback") + " prepared '" + name + "'");
                connection.setAutoCommit(false);
                prepared = false;
                ended(commits);
            }
        }

        private void ended(boolean committed) {
            begun = false;
            locked.removeAll(keys);
            keys.clear();
            written.forEach(id -> messages.forEach(each -> each.ended(id, committed)));
            written.clear();
        }
    }

    private final HistoryClock clock;
    private final List<ExpectedMessages> messages;
    private final Set<Integer> locked = new HashSet<>();
    private final List<Writer> writers = new ArrayList<>();

    HistoryWriters(HistoryDatabase database, HistoryClock clock, List<ExpectedMessages> messages, int count)
            throws SQLException {
        this.clock = clock;
        this.messages = messages;
        for (int number = 0; number < count; number++) {
            writers.add(new Writer(number, database));
        }
    }

    void step(Step step) throws SQLException {
        Writer writer = writers.get(step.who());
        switch (step.kind()) {
            case INSERT -> writer.insert(step.what(), TYPE, 1 + step.more());
            case INSERT_OTHER_TYPE -> writer.insert(step.what(), OTHER_TYPE, 1 + step.more());
            case DRAW -> {
                if (!writer.prepared) {
                    writer.execute("select nextval('outbox_id_seq')");
                    writer.begun = true;
                }
            }
            case UNDONE_INSERT -> writer.undoneInsert(step.what());
            case COMMIT -> writer.end(true);
            case ROLL_BACK -> writer.end(false);
            case PREPARE -> writer.prepare();
            case COMMIT_PREPARED -> writer.endPrepared(true);
            case ROLL_BACK_PREPARED -> writer.endPrepared(false);
            default -> throw new IllegalArgumentException("not a step of a writer: " + step);
        }
    }

    void endAll(boolean commits) throws SQLException {
        for (Writer writer : writers) {
            writer.endPrepared(commits);
            writer.end(commits);
        }
    }

    @Override
    public void close() throws SQLException {
        for (Writer writer : writers) {
            writer.connection.rollback();
        }
    }
}
