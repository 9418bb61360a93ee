package dev.caravan.lab.torture.fault;

import dev.caravan.lab.servers.FailoverPostgres;
import dev.caravan.lab.servers.FailoverPostgres.Replication;
import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Replaces Postgres by its replica. Records when, and which messages only a former primary had committed: those may have arrived, but
 * need not.
 */
public final class Failovers {
    /** Longer than any transaction of the writers. */
    private static final long LONGEST_TRANSACTION_MILLIS = 60_000;

    /**
     * The time in which some relays may use the former primary and others the promoted server, in milliseconds since 1970.
     *
     * @param until the end of the former primary; {@link Long#MAX_VALUE} while it may run
     */
    public record Failover(long from, long until) {}

    private final TorturedOutbox outbox;
    private final FailoverPostgres server;
    private final FullDisk disk;
    private final List<Failover> all = new ArrayList<>();
    private final Set<String> lost = new HashSet<>();
    /** A time before the last base backup, in milliseconds since 1970. */
    private long replicatedSince;

    Failovers(TorturedOutbox outbox, FullDisk disk) {
        this.outbox = outbox;
        this.disk = disk;
        server = outbox.server();
    }

    public boolean arePossible() {
        return server.replication() != Replication.OFF;
    }

    /** Crashes the primary and promotes the replica. An asynchronous replica lacks what was committed in the time before. */
    void failOver(Duration lag) throws Exception {
        awaitLag(lag);
        long from = System.currentTimeMillis();
        server.failOver();
        promoted(from);
        ended();
    }

    /** Promotes the replica while the primary runs. */
    void promote(Duration lag) throws Exception {
        awaitLag(lag);
        long from = System.currentTimeMillis();
        server.promote();
        promoted(from);
    }

    private void awaitLag(Duration lag) throws SQLException {
        if (server.replication() == Replication.ASYNC) {
            server.cutReplica();
            LockSupport.parkNanos(lag.toNanos());
        }
    }

    private void promoted(long from) throws SQLException {
        synchronized (this) {
            all.add(new Failover(from, Long.MAX_VALUE));
        }
        disk.repeat();
    }

    private void ended() throws Exception {
        server.endFormer();
        synchronized (this) {
            all.replaceAll(failover -> failover.until() == Long.MAX_VALUE
                    ? new Failover(failover.from(), System.currentTimeMillis())
                    : failover);
        }
    }

    /** Ends the former primary if it still runs, and builds a new replica. May be repeated. */
    void restoreReplica() throws Exception {
        server.start();
        disk.repeat();
        ended();
        long begun = System.currentTimeMillis();
        server.build(this::examine);
        replicatedSince = begun - LONGEST_TRANSACTION_MILLIS;
    }

    /** Records the messages that the former primary had committed and that the promoted server does not have. */
    private void examine(Connection former) throws SQLException {
        Set<String> only = TorturedOutbox.messageIds(former, replicatedSince);
        try (Connection promoted = outbox.connect()) {
            only.removeAll(TorturedOutbox.messageIds(promoted, replicatedSince));
        }
        synchronized (this) {
            lost.addAll(only);
        }
    }

    /** The failovers after which a relay may repeat more than was in flight: none if the replica had each commit. */
    public synchronized List<Failover> thatLoseSaves() {
        return server.replication() == Replication.ASYNC ? List.copyOf(all) : List.of();
    }

    public synchronized List<Failover> all() {
        return List.copyOf(all);
    }

    /** The message ids of the messages that only a former primary had committed. */
    public synchronized Set<String> lost() {
        return Set.copyOf(lost);
    }
}
