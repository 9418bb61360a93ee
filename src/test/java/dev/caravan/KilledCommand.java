package dev.caravan;

import javax.sql.DataSource;

/** Connections of a command that is killed at one of its statements or commits: its session ends at that point, and no other works after it. */
public final class KilledCommand extends ProxiedConnections {
    /** The process has ended here. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final int AT_COMMIT = Integer.MAX_VALUE;

    private final int statement;
    private final boolean after;
    private int executed;
    private boolean isKilled;

    /**
     * @param statement number of the statement or commit, from 1; 0 for none
     * @param after whether the server still executes it
     */
    public KilledCommand(DataSource source, int statement, boolean after) {
        super(source);
        this.statement = statement;
        this.after = after;
    }

    /** @param after whether the server still commits */
    public static KilledCommand atCommit(DataSource source, boolean after) {
        return new KilledCommand(source, AT_COMMIT, after);
    }

    /** The number of statements and commits so far. */
    public int executed() {
        return executed;
    }

    @Override
    protected Object on(Call call) throws Exception {
        boolean isCommit = call.method().equals("commit");
        if (!isCommit && !call.isExecution()) {
            return call.proceed();
        }
        executed++;
        boolean dies = executed == statement || isCommit && statement == AT_COMMIT;
        Object result = isKilled || dies && !after ? null : call.proceed();
        isKilled |= dies;
        if (isKilled) {
            call.connection().abort(Runnable::run);
            throw new Killed();
        }
        return result;
    }
}
