package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.servers.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Caravan as users run it: {@code caravan run} in a process of its own, with the shipped settings and error handling, and one
 * route to Kafka.
 */
public final class CaravanContender implements Contender {
    private final boolean inBatches;

    public CaravanContender() {
        this(false);
    }

    private CaravanContender(boolean inBatches) {
        this.inBatches = inBatches;
    }

    /** Caravan with a route that receives several messages in one exchange. */
    public static CaravanContender inBatches() {
        return new CaravanContender(true);
    }

    @Override
    public String name() {
        return inBatches ? "batches" : "caravan";
    }

    @Override
    public void prepare(Outbox outbox) {
        // the relay creates its subscription
    }

    @Override
    public Program start(BenchRun run, Topic topic) throws IOException {
        String route = inBatches ? BenchRoutes.toKafkaInBatches("bench", topic) : BenchRoutes.toKafka("bench", topic);
        return relay(run, "relay", List.of(route), Map.of());
    }

    /**
     * Starts a relay.
     *
     * @param name its name, as owner of leases
     * @param routes the contents of the route files
     * @param settings in addition to the shipped ones
     * @param jvm options for Java
     */
    public static Program relay(
            BenchRun run, String name, List<String> routes, Map<String, String> settings, String... jvm)
            throws IOException {
        Path folder = Files.createDirectories(run.folder().resolve(name));
        Path routesFolder = Files.createDirectories(folder.resolve("routes"));
        for (int i = 0; i < routes.size(); i++) {
            Files.writeString(routesFolder.resolve("bench-" + i + ".camel.yaml"), routes.get(i));
        }
        Map<String, String> all = new HashMap<>(settings);
        all.put("camel.component.outbox.relay", name);
        all.put("caravan.routes", routesFolder.toString());
        Path file = settingsFile(run, folder, all);
        List<String> javaOptions = new ArrayList<>(run.javaOptions());
        javaOptions.addAll(List.of(jvm));
        return Program.start(
                name,
                folder,
                javaOptions,
                dev.caravan.cli.Caravan.class,
                List.of("run", "--config", file.toString()),
                Map.of("HOSTNAME", name)); // as for a pod
    }

    /** Like {@link #relay}, but returns when its routes have started. */
    public static Program readyRelay(
            BenchRun run, String name, List<String> routes, Map<String, String> settings, String... jvm)
            throws Exception {
        String port = Integer.toString(FreePorts.one());
        Map<String, String> all = new HashMap<>(settings);
        all.put("camel.management.port", port);
        Program relay = relay(run, name, routes, all, jvm);
        try {
            RelayHealth.awaitReady(relay, name, port);
            return relay;
        } catch (Exception e) {
            relay.close();
            throw e;
        }
    }

    /** Writes the shipped settings, followed by those of this run. The last value of a setting applies. */
    private static Path settingsFile(BenchRun run, Path folder, Map<String, String> settings) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(home().resolve("application.properties")));
        lines.add("caravan.db.url = " + run.outbox().url());
        lines.add("caravan.db.user = " + run.outbox().user());
        lines.add("caravan.db.password = " + run.outbox().password());
        lines.add("camel.component.kafka.brokers = " + run.brokers());
        lines.add("camel.management.port = " + FreePorts.one());
        settings.forEach((name, value) -> lines.add(name + " = " + value));
        return Files.write(folder.resolve("application.properties"), lines);
    }

    /** The folder in which the program is installed. */
    private static Path home() {
        String home = System.getenv("CARAVAN_HOME");
        return Path.of(home == null ? "" : home).toAbsolutePath();
    }
}
