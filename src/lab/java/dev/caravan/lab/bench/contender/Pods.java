package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.ground.Ground;
import dev.caravan.lab.bench.ground.Program;
import dev.caravan.lab.servers.FreePorts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * Relays that get what the pods of a Deployment get: a host name of their own, SIGTERM when they are stopped and SIGKILL after the
 * grace period. The oldest one is stopped first.
 */
public final class Pods implements AutoCloseable {
    /** As in k8s/base/deployment.yaml. */
    private static final Duration GRACE_PERIOD = Duration.ofSeconds(60);

    private final Ground ground;
    private final String route;
    private final Deque<Program> running = new ArrayDeque<>();
    private int started;

    public Pods(Ground ground, String route) {
        this.ground = ground;
        this.route = route;
    }

    /** Starts or stops relays until so many run. New ones start at the same time. */
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

    /** Ends a relay without a chance to release anything, as the loss of its node does. */
    public void loseOne() {
        Program lost = running.remove();
        lost.kill();
        lost.close();
    }

    /** One that runs. */
    public Program any() {
        return running.element();
    }

    private Pod start() throws Exception {
        String name = "pod-" + ++started;
        String port = Integer.toString(FreePorts.one());
        Map<String, String> settings = Map.of("camel.management.port", port);
        Program relay = CaravanContender.relay(ground, name, List.of(route), settings, "-Xmx256m");
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
