package dev.caravan.relay;

import dev.caravan.schema.Partitions;
import java.sql.SQLException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes partitions ahead of the ids as long as the relay runs. */
final class PartitionKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionKeeper.class);
    private static final long INTERVAL_SECONDS = 10;

    private final Partitions partitions;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "partitions");
        thread.setDaemon(true);
        return thread;
    });

    PartitionKeeper(Partitions partitions) {
        this.partitions = partitions;
    }

    void start() {
        timer.scheduleWithFixedDelay(this::makeAhead, 0, INTERVAL_SECONDS, TimeUnit.SECONDS);
    }

    private void makeAhead() {
        try {
            int made = partitions.makeAhead();
            if (made > 0) {
                LOG.info("Made {} partitions of the outbox ahead", made);
            }
        } catch (SQLException | RuntimeException e) {
            // the subscriptions say that the database is away; what no partition takes goes to outbox_default
            LOG.debug("Could not make partitions now, next try in {} s", INTERVAL_SECONDS, e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
