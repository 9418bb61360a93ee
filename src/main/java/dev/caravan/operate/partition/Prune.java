package dev.caravan.operate.partition;

import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Prunes on request of a person: only the partitions that the person has confirmed, and with an entry in the audit. */
public final class Prune {
    /** About 30 s: more than a relay uses, because a relay retries regularly. */
    private static final int ATTEMPTS = 20;

    private final DataSource dataSource;
    private final Retention retention;
    private final Set<String> confirmed;

    /** @param confirmed the partitions to prune, if they are still prunable at that moment */
    public Prune(DataSource dataSource, Retention retention, List<Partition> confirmed) {
        this.dataSource = dataSource;
        this.retention = retention;
        this.confirmed = confirmed.stream().map(Partition::name).collect(Collectors.toSet());
    }

    /**
     * Prunes. The entry in the audit is written before the first partition is dropped and updated at the end. Without a confirmed partition
     * it only drops the tables that an interrupted prune has detached, and writes an entry if it dropped any.
     *
     * @param mayContinue checked before each partition; false ends the run
     * @param progress receives the name of each dropped table
     */
    public Pruning.Round run(Actor actor, BooleanSupplier mayContinue, Consumer<String> progress)
            throws SQLException, InterruptedException {
        List<String> pruned = new ArrayList<>();
        if (confirmed.isEmpty()) {
            Pruning.Round round = prune(mayContinue, progress, pruned);
            if (!pruned.isEmpty()) {
                begin(pruned, round.postponed().isEmpty(), actor);
            }
            return round;
        }
        long entry = begin(pruned, false, actor);
        Pruning.Round round;
        try {
            round = prune(mayContinue, progress, pruned);
        } catch (SQLException | InterruptedException | RuntimeException e) {
            writeAfter(e, entry, pruned);
            throw e;
        }
        write(entry, pruned, round.postponed().isEmpty() && mayContinue.getAsBoolean());
        return round;
    }

    /** Writes what was pruned before a failure. A second failure is added to the first. */
    private void writeAfter(Exception failure, long entry, List<String> pruned) {
        try {
            write(entry, pruned, false);
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private Pruning.Round prune(BooleanSupplier mayContinue, Consumer<String> progress, List<String> pruned)
            throws SQLException, InterruptedException {
        return new Pruning(dataSource, ATTEMPTS)
                .run(
                        retention,
                        partition -> mayContinue.getAsBoolean() && confirmed.contains(partition.name()),
                        name -> {
                            pruned.add(name);
                            progress.accept(name);
                        });
    }

    private long begin(List<String> pruned, boolean finished, Actor actor) throws SQLException {
        return Transaction.run(
                dataSource, connection -> Audit.write(connection, "prune", "*", detail(pruned, finished), actor));
    }

    private void write(long entry, List<String> pruned, boolean finished) throws SQLException {
        Transaction.run(dataSource, connection -> {
            Audit.add(connection, entry, "prune", "*", detail(pruned, finished));
            return null;
        });
    }

    private Map<String, Object> detail(List<String> pruned, boolean finished) {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("olderThan", retention.toString());
        detail.put("partitions", confirmed.stream().sorted().toList());
        detail.put("pruned", pruned);
        detail.put("finished", finished);
        return detail;
    }
}
