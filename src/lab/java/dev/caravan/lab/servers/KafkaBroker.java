package dev.caravan.lab.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;

/** A real Kafka broker (KRaft, broker and controller in one) in this process, with its data in a temporary folder. */
public final class KafkaBroker implements AutoCloseable {
    private final TemporaryFolder folder;
    private final Node node;
    private final KafkaRaftServer server;

    /** A member of a cluster. The first one is the controller, too. */
    private record Node(int id, String cluster, int port, int controllerPort, boolean createsTopics) {
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
        return start(true);
    }

    /** The same. @param createsTopics whether it creates the topics that clients ask for */
    public static KafkaBroker start(boolean createsTopics) throws IOException {
        int[] ports = FreePorts.two();
        return start(new Node(Node.FIRST, Uuid.randomUuid().toString(), ports[0], ports[1], createsTopics));
    }

    /** Starts a second broker, with the id 2, of the cluster of this one. */
    public KafkaBroker second() throws IOException {
        return start(new Node(Node.FIRST + 1, node.cluster, FreePorts.one(), node.controllerPort, node.createsTopics));
    }

    private static KafkaBroker start(Node node) throws IOException {
        var folder = new TemporaryFolder("caravan-kafka-");
        try {
            KafkaNode.format(folder.path(), node.id, node.cluster);
            return new KafkaBroker(folder, node, KafkaNode.start(configuration(folder.path(), node)));
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
        KafkaNode.stop(server);
        folder.close();
    }

    private static KafkaConfig configuration(Path data, Node node) {
        return KafkaNode.configuration(
                data,
                Map.ofEntries(
                        Map.entry("process.roles", node.isController() ? "broker,controller" : "broker"),
                        Map.entry("node.id", Integer.toString(node.id)),
                        Map.entry("controller.quorum.voters", Node.FIRST + "@localhost:" + node.controllerPort),
                        Map.entry(
                                "listeners",
                                "PLAINTEXT://localhost:" + node.port
                                        + (node.isController()
                                                ? ",CONTROLLER://localhost:" + node.controllerPort
                                                : "")),
                        Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                        Map.entry("auto.create.topics.enable", Boolean.toString(node.createsTopics)),
                        Map.entry("num.partitions", "3"),
                        Map.entry("transaction.state.log.num.partitions", "1"),
                        Map.entry("transaction.state.log.replication.factor", "1"),
                        Map.entry("transaction.state.log.min.isr", "1"),
                        Map.entry("group.initial.rebalance.delay.ms", "0"),
                        Map.entry(
                                "metadata.max.idle.interval.ms", "0"), // otherwise it writes and flushes twice a second
                        Map.entry("broker.session.timeout.ms", "30000")));
    }
}
