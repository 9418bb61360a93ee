package dev.caravan.partition;

import dev.caravan.audit.Actor;
import dev.caravan.audit.Audit;
import dev.caravan.database.Transaction;
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

/** A prune by a person: like that of a relay, but only of what the person agreed to, and with an entry in the audit. */
public final class Prune {
    /** A person waits in front of it: longer than a relay, which comes back by itself. About half a minute. */
    private static final int ATTEMPTS = 20;

    private final DataSource dataSource;
    private final Retention retention;
    private final Set<String> agreed;

    /** @param agreed what is pruned if it is still ready when its turn comes */
    public Prune(DataSource dataSource, Retention retention, List<Partition> agreed) {
        this.dataSource = dataSource;
        this.retention = retention;
        this.agreed = agreed.stream().map(Partition::name).collect(Collectors.toSet());
    }

    /**
     * The entry of the audit is written before the first partition goes and says at the end what was pruned.
     *
     * @param goOn asked before each partition
     * @param progress told the name of each table that was dropped
     */
    public Pruning.Round run(Actor signature, BooleanSupplier goOn, Consumer<String> progress)
            throws SQLException, InterruptedException {
        if (agreed.isEmpty()) {
            return prune(goOn, progress, new ArrayList<>()); // finishes what an earlier prune left behind
        }
        long entry = Transaction.run(
                dataSource, connection -> Audit.write(connection, "prune", "*", detail(List.of(), false), signature));
        List<String> pruned = new ArrayList<>();
        boolean finished = false;
        try {
            Pruning.Round round = prune(goOn, progress, pruned);
            finished = round.postponed().isEmpty() && goOn.getAsBoolean();
            return round;
        } finally {
            write(entry, pruned, finished);
        }
    }

    private Pruning.Round prune(BooleanSupplier goOn, Consumer<String> progress, List<String> pruned)
            throws SQLException, InterruptedException {
        return new Pruning(dataSource, ATTEMPTS)
                .run(retention, partition -> goOn.getAsBoolean() && agreed.contains(partition.name()), name -> {
                    pruned.add(name);
                    progress.accept(name);
                });
    }

    private void write(long entry, List<String> pruned, boolean finished) throws SQLException {
        Transaction.run(dataSource, connection -> {
            Audit.add(connection, entry, detail(pruned, finished));
            return null;
        });
    }

    private Map<String, Object> detail(List<String> pruned, boolean finished) {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("olderThan", retention.toString());
        detail.put("partitions", agreed.stream().sorted().toList());
        detail.put("pruned", pruned);
        detail.put("finished", finished);
        return detail;
    }
}
