package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.FreePorts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Relays under the same conditions as the pods of a Deployment: each has its own host name, and is stopped with SIGTERM, and with SIGKILL
 * after the grace period. The oldest one is stopped first.
 */
public final class Pods implements AutoCloseable {
    /** As in k8s/base/deployment.yaml. */
    private static final Duration GRACE_PERIOD = Duration.ofSeconds(60);

    private static final Duration SHARE_LIMIT = Duration.ofMinutes(5);

    private final BenchRun run;
    private final String route;
    private final Map<String, String> settings;
    private final Deque<Program> running = new ArrayDeque<>();
    private int started;

    /** @param settings in addition to the shipped ones */
    public Pods(BenchRun run, String route, Map<String, String> settings) {
        this.run = run;
        this.route = route;
        this.settings = settings;
    }

    /** Starts or stops relays until this many run. New ones start at the same time. */
    public void scaleTo(int count) throws Exception {
        List<Pod> starting = new ArrayList<>();
        while (running.size() < count) {
            starting.add(start());
        }
        for (Pod pod : starting) {
            pod.awaitReady();
        }
        while (running.size() > count) {
            stopOldest();
        }
    }

    /** Replaces all relays as a rolling update does: a new one is ready before an old one is stopped. */
    public void roll() throws Exception {
        for (int left = running.size(); left > 0; left--) {
            start().awaitReady();
            stopOldest();
        }
    }

    /** Kills a relay, so that it cannot release its lanes, as when its node is lost. */
    public void loseOne() {
        Program lost = running.remove();
        lost.kill();
        lost.close();
    }

    /** Waits until the relays own all lanes, in equal shares. */
    public void awaitShared(int lanes) throws Exception {
        int relays = running.size();
        Await.until(relays + " relays share the lanes", SHARE_LIMIT, () -> run.outbox()
                .text("""
                        select coalesce(sum(lanes) = %d and count(*) = %d and max(lanes) - min(lanes) <= 1, false)
                        from (
                            select count(*) as lanes
                            from outbox_subscription
                            where lease_until > clock_timestamp()
                            group by owner
                        ) as relay
                        """.formatted(lanes, relays))
                .equals("t"));
    }

    /** A relay that runs. */
    public Program any() {
        return running.element();
    }

    private Pod start() throws Exception {
        String name = "pod-" + ++started;
        String port = Integer.toString(FreePorts.one());
        Map<String, String> all = new HashMap<>(settings);
        all.put("camel.management.port", port);
        Program relay = CaravanContender.relay(run, name, List.of(route), all, "-Xmx256m");
        running.add(relay);
        return new Pod(relay, name, port);
    }

    /** A relay that was started. */
    private record Pod(Program relay, String name, String port) {
        void awaitReady() throws Exception {
            RelayHealth.awaitReady(relay, name, port);
        }
    }

    private void stopOldest() throws InterruptedException {
        try (Program stopping = running.remove()) {
            stopping.terminate();
            if (!stopping.awaitEnd(GRACE_PERIOD)) {
                throw new IllegalStateException("A relay did not end within its grace period of "
                        + GRACE_PERIOD.toSeconds() + " s after SIGTERM");
            }
        }
    }

    @Override
    public void close() {
        running.forEach(Program::close);
    }
}
