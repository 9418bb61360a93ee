package dev.caravan.camel.outbox;

import dev.caravan.ProxiedConnections;
import dev.caravan.database.Sql;
import java.sql.Connection;
import javax.sql.DataSource;

/** Connections on which something happens before and after each run of one statement. */
public final class HookedStatement extends ProxiedConnections {
    /** Something to do; what it throws is the answer to the statement. */
    @FunctionalInterface
    public interface Hook {
        void run(Connection connection) throws Exception;
    }

    private final String statement;
    private volatile Hook before = connection -> {};
    private volatile Hook after = connection -> {};

    /** @param file the name of the statement, as in {@link Sql#file} */
    public HookedStatement(DataSource source, String file) {
        super(source);
        statement = Sql.file(file).text();
    }

    public void before(Hook hook) {
        before = hook;
    }

    /** The statement is committed, and not answered. */
    public void after(Hook hook) {
        after = hook;
    }

    @Override
    protected Object on(Call call) throws Exception {
        if (!call.isExecution() || !statement.equals(call.text())) {
            return call.proceed();
        }
        before.run(call.connection());
        Object result = call.proceed();
        after.run(call.connection());
        return result;
    }
}
