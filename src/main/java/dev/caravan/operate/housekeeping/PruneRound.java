package dev.caravan.operate.housekeeping;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.operate.partition.Holder;
import dev.caravan.operate.partition.LastingProblem;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prunes for all subscriptions. Logs the pruned partitions, and warns when the subscriptions that hold back pruning have changed. */
final class PruneRound {
    private static final Logger LOG = LoggerFactory.getLogger(PruneRound.class);
    private static final int ATTEMPTS = 5;

    private final DataSource dataSource;
    private final Retention retention;
    private final PartitionReader partitions = new PartitionReader();
    private final Pruning pruning;
    private final LastingProblem postponed;
    private String reportedHolders = "";
    private boolean lacksPrivilege;

    PruneRound(DataSource dataSource, Retention retention, Clock clock) {
        this.dataSource = dataSource;
        this.retention = retention;
        this.pruning = new Pruning(dataSource, ATTEMPTS);
        postponed = new LastingProblem("Old messages are not removed", clock);
    }

    void run() throws SQLException, InterruptedException {
        prune(); // also without a retention: tables that a crashed process has detached must be dropped
        reportHolders(partitions.states(dataSource, retention).stream()
                .filter(partition -> partition.state() == Partition.State.HELD_BACK)
                .toList());
    }

    /** Whether the role could not prune when there was last something to prune. */
    boolean lacksPrivilege() {
        return lacksPrivilege;
    }

    private void prune() throws SQLException, InterruptedException {
        try {
            Pruning.Round round = pruning.run(
                    retention,
                    partition -> !Thread.currentThread().isInterrupted(),
                    name -> LOG.info("Pruned {}: delivered everywhere and older than {}", name, retention));
            lacksPrivilege &= round.pruned().isEmpty();
            postponed.attempted(round.postponed());
        } catch (SQLException e) {
            if (!DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
            warnOnceOfPrivilege(e);
        }
    }

    private void warnOnceOfPrivilege(SQLException e) {
        if (!lacksPrivilege) {
            lacksPrivilege = true;
            LOG.warn(
                    "Could not prune the outbox: {}. Old messages are not removed, unless another instance of the outbox may. Run ./caravan partitions prune regularly as"
                            + " the owner of outbox, make the relay's role a member of the owner, or set caravan.retention to off.",
                    e.getMessage());
        }
    }

    private void reportHolders(List<Partition> held) {
        String now = held.stream()
                .flatMap(partition -> partition.holders().stream())
                .map(Holder::toString)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        if (!held.isEmpty() && now.isEmpty()) {
            now = "no subscription has read it";
        }
        if (!now.equals(reportedHolders)) {
            reportedHolders = now;
            Optional.of(now).filter(text -> !text.isEmpty()).ifPresent(text -> warn(held, text));
        }
    }

    private void warn(List<Partition> held, String holders) {
        LOG.warn(
                "Could not prune the partitions of the outbox from {} on, {} in all, although they are older than {}: {}. They are not"
                        + " removed until that changes. To remove a subscription that is no longer needed, run:"
                        + " ./caravan subscriptions delete NAME",
                held.get(0).name(),
                held.size(),
                retention,
                holders);
    }
}
