package dev.caravan.camel.outbox;

import dev.caravan.ProxiedConnections;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Connections on which the next saves of failures end with an error, each at the same point. */
final class FailingSaves extends ProxiedConnections {
    /** Where a save fails. */
    enum Point {
        /** Its transaction cannot begin. */
        BEGIN(connection -> {}),
        /** The connection ends before a message is stored. */
        STORE(connection -> {}),
        /** The commit is neither done nor answered. */
        COMMIT(Connection::rollback),
        /** The commit is done and not answered. */
        ANSWER(Connection::commit);

        private final Instead instead;

        Point(Instead instead) {
            this.instead = instead;
        }
    }

    /** What happens on a connection instead of the statement that fails. */
    interface Instead {
        void run(Connection connection) throws Exception;
    }

    private final Point point;
    private final Instead instead;
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger reached = new AtomicInteger();

    FailingSaves(DataSource source, Point point) {
        this(source, point, point.instead);
    }

    private FailingSaves(DataSource source, Point point, Instead instead) {
        super(source);
        this.point = point;
        this.instead = instead;
    }

    /** Connections on which something else happens instead of the first commit of a save, which gets no answer. */
    static FailingSaves atFirstCommit(DataSource source, Instead instead) {
        FailingSaves saves = new FailingSaves(source, Point.COMMIT, instead);
        saves.fail(1);
        return saves;
    }

    void fail(int saves) {
        left.set(saves);
    }

    /** The number of saves that will still fail. */
    int left() {
        return left.get();
    }

    /** The number of saves that have reached the point, including those that failed there. */
    int reached() {
        return reached.get();
    }

    @Override
    protected Object on(Call call) throws Exception {
        if (isAt(call)) {
            reached.incrementAndGet();
            if (left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                instead.run(call.connection());
                throw new SQLException("An I/O error occurred", "08006");
            }
        }
        return call.proceed();
    }

    private boolean isAt(Call call) {
        return switch (point) {
            case BEGIN -> call.method().equals("setAutoCommit") && call.arguments()[0].equals(false) && isSaving();
            case STORE ->
                call.method().equals("prepareStatement") && call.text().contains("insert into outbox_retry");
            case COMMIT, ANSWER -> call.method().equals("commit") && isSaving();
        };
    }

    /** Whether this thread is saving progress together with changes of messages: reads of waiting messages are transactions too. */
    private static boolean isSaving() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(SubscriptionStore.class.getName())
                        && frame.getMethodName().equals("saveWithChanges")));
    }
}
