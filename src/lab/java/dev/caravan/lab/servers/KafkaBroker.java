package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/** A real Kafka broker (KRaft, broker and controller in one) in this process, with its data in a temporary folder. */
public final class KafkaBroker implements AutoCloseable {
    private final TemporaryFolder folder;
    private final Node node;
    private final KafkaRaftServer server;

    /** A member of a cluster. The first one is the controller, too. */
    private record Node(int id, String cluster, int port, int controllerPort) {
        private static final int FIRST = 1;

        private boolean isController() {
            return id == FIRST;
        }
    }

    private KafkaBroker(TemporaryFolder folder, Node node, KafkaRaftServer server) {
        this.folder = folder;
        this.node = node;
        this.server = server;
    }

    /** Starts a broker on free ports. Returns when it answers, after a few seconds. */
    public static KafkaBroker start() throws IOException {
        int[] ports = FreePorts.two();
        return start(new Node(Node.FIRST, Uuid.randomUuid().toString(), ports[0], ports[1]));
    }

    /** Starts a second broker, with the id 2, of the cluster of this one. */
    public KafkaBroker second() throws IOException {
        return start(new Node(Node.FIRST + 1, node.cluster, FreePorts.one(), node.controllerPort));
    }

    private static KafkaBroker start(Node node) throws IOException {
        var folder = new TemporaryFolder("caravan-kafka-");
        try {
            format(folder.path(), node);
            var server = new KafkaRaftServer(new KafkaConfig(configuration(folder.path(), node)), Time.SYSTEM);
            server.startup();
            return new KafkaBroker(folder, node, server);
        } catch (IOException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /** The value of {@code bootstrap.servers} for clients. */
    public String bootstrapServers() {
        return "localhost:" + node.port;
    }

    /** Creates a topic and waits until each of its partitions has a leader. */
    public void createTopic(String name, int partitions) {
        new KafkaTopics(bootstrapServers()).create(name, partitions, Map.of());
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
        folder.close();
    }

    private static void format(Path data, Node node) throws IOException {
        var formatter = new Formatter()
                .setNodeId(node.id)
                .setClusterId(node.cluster)
                .setControllerListenerName("CONTROLLER")
                .addDirectory(data.toString())
                .setMetadataLogDirectory(data.toString())
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()));
        try {
            formatter.run();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Could not prepare " + data + " for Kafka: " + e.getMessage(), e);
        }
    }

    /** One node, so every internal topic has one replica; few partitions and small buffers, so that it starts quickly. */
    private static Map<String, String> configuration(Path data, Node node) {
        return Map.ofEntries(
                Map.entry("process.roles", node.isController() ? "broker,controller" : "broker"),
                Map.entry("node.id", Integer.toString(node.id)),
                Map.entry("controller.quorum.voters", Node.FIRST + "@localhost:" + node.controllerPort),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry(
                        "listeners",
                        "PLAINTEXT://localhost:" + node.port
                                + (node.isController() ? ",CONTROLLER://localhost:" + node.controllerPort : "")),
                Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("log.dirs", data.toString()),
                Map.entry("auto.create.topics.enable", "true"),
                Map.entry("num.partitions", "3"),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("transaction.state.log.num.partitions", "1"),
                Map.entry("transaction.state.log.replication.factor", "1"),
                Map.entry("transaction.state.log.min.isr", "1"),
                Map.entry("group.initial.rebalance.delay.ms", "0"),
                Map.entry("metadata.max.idle.interval.ms", "0"), // otherwise it writes and flushes twice a second
                Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
                Map.entry("log.index.size.max.bytes", "1048576"),
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "2"),
                Map.entry("background.threads", "2"),
                Map.entry("controlled.shutdown.enable", "false"),
                Map.entry("broker.session.timeout.ms", "30000"));
    }
}
