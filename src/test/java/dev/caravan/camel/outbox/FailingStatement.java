package dev.caravan.camel.outbox;

import dev.caravan.ProxiedConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Connections on which one statement or commit fails, whichever it is: the n-th one after {@link #failAfter}. */
final class FailingStatement extends ProxiedConnections {
    /** How it fails. */
    enum Kind {
        /** The database refuses it; its transaction can only be rolled back. */
        REFUSED,
        /** As after a conflict with another transaction. */
        SERIALIZATION,
        /** The connection is lost before it is executed. */
        LOST,
        /** It is executed, and the connection is lost before the answer. */
        UNANSWERED
    }

    private static final int NEVER = Integer.MAX_VALUE;

    private final AtomicInteger left = new AtomicInteger(NEVER);
    private volatile Kind kind;
    private volatile String failed;

    FailingStatement(DataSource source) {
        super(source);
    }

    /** @param statements the number of statements and commits that succeed before the one that fails */
    void failAfter(int statements, Kind newKind) {
        failed = null;
        kind = newKind;
        left.set(statements);
    }

    /** What failed since the last {@link #failAfter}; null if nothing has. */
    String failed() {
        return failed;
    }

    void stop() {
        left.set(NEVER);
    }

    @Override
    protected Object on(Call call) throws Exception {
        boolean isCommit = call.method().equals("commit");
        if (!isCommit && !call.isExecution() || left.get() == NEVER || left.getAndDecrement() != 0) {
            return call.proceed();
        }
        stop();
        String text = isCommit ? "commit" : call.text();
        failed = kind + " " + text.strip().lines().reduce((first, last) -> last).orElse("");
        switch (kind) {
            case REFUSED -> refuse(call.connection(), "23514");
            case SERIALIZATION -> refuse(call.connection(), "40001");
            case UNANSWERED -> call.proceed();
            case LOST -> {}
        }
        call.connection().abort(Runnable::run);
        throw new SQLException("An I/O error occurred", "08006");
    }

    /** The server refuses a statement on this connection. */
    private static void refuse(Connection connection, String state) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("do $$ begin raise exception using errcode = '" + state + "'; end $$");
        }
    }
}
