package dev.caravan.camel.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;

/** Reads limits with a connection that is closed when it was not used for some seconds, because at a start many topics are new. */
final class ClusterLimits implements FittingClients.Limits {
    private static final int OPEN_SECONDS = 10;

    private final Supplier<Admin> connections;
    private final ScheduledExecutorService timer;
    private Admin admin;
    private Future<?> closing;

    ClusterLimits(Supplier<Admin> connections, ScheduledExecutorService timer) {
        this.connections = connections;
        this.timer = timer;
    }

    @Override
    public synchronized Map<String, Integer> of(Set<String> topics) throws InterruptedException {
        if (admin == null) {
            admin = connections.get();
        } else {
            closing.cancel(false);
        }
        try {
            return TopicLimit.of(admin, topics);
        } finally {
            closing = timer.schedule(this::close, OPEN_SECONDS, TimeUnit.SECONDS);
        }
    }

    private synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }
}
