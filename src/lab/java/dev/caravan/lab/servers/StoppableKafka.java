package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * A Kafka broker in this process that can be stopped and started again with its data. It has two listeners: a
 * direct one for this program, and one behind a {@link TcpProxy}, whose address it returns to the clients of that listener.
 */
public final class StoppableKafka implements AutoCloseable {
    private final Path folder;
    private final TcpProxy proxy;
    private final int port;
    private final KafkaConfig configuration;
    private KafkaRaftServer server;

    private StoppableKafka(Path folder) throws Exception {
        this.folder = folder;
        try (var direct = free();
                var proxied = free();
                var controller = free()) {
            port = direct.getLocalPort();
            proxy = TcpProxy.to(proxied.getLocalPort());
            configuration = new KafkaConfig(
                    configuration(port, proxied.getLocalPort(), proxy.port(), controller.getLocalPort()));
        }
        format();
    }

    /** @param folder an empty folder for its data */
    public static StoppableKafka startNew(Path folder) throws Exception {
        StoppableKafka kafka = new StoppableKafka(folder);
        kafka.start();
        return kafka;
    }

    /** The direct address, for this program. */
    public String brokers() {
        return "localhost:" + port;
    }

    /** The address behind the proxy, for relays. */
    public String proxiedBrokers() {
        return "localhost:" + proxy.port();
    }

    public TcpProxy proxy() {
        return proxy;
    }

    /** Starts the broker. No effect while it runs. */
    public synchronized void start() {
        if (server == null) {
            KafkaRaftServer starting = new KafkaRaftServer(configuration, Time.SYSTEM);
            starting.startup();
            server = starting;
        }
    }

    /** Stops the broker. No effect while it is stopped. */
    public synchronized void stop() {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
            server = null;
        }
    }

    /** Creates a topic with append times unless it exists. Returns when its partitions have leaders. */
    public void createTopic(String name, int partitions) {
        new KafkaTopics(brokers()).create(name, partitions, Map.of("message.timestamp.type", "LogAppendTime"));
    }

    @Override
    public void close() throws IOException {
        stop();
        proxy.close();
    }

    private static ServerSocket free() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private void format() throws Exception {
        new Formatter()
                .setNodeId(1)
                .setClusterId(Uuid.randomUuid().toString())
                .setControllerListenerName("CONTROLLER")
                .addDirectory(folder.toString())
                .setMetadataLogDirectory(folder.toString())
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .run();
    }

    private Map<String, String> configuration(int direct, int proxied, int named, int controller) {
        return Map.ofEntries(
                Map.entry("process.roles", "broker,controller"),
                Map.entry("node.id", "1"),
                Map.entry("controller.quorum.voters", "1@localhost:" + controller),
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry("inter.broker.listener.name", "DIRECT"),
                Map.entry(
                        "listeners",
                        "DIRECT://localhost:%d,PROXIED://localhost:%d,CONTROLLER://localhost:%d"
                                .formatted(direct, proxied, controller)),
                Map.entry(
                        "advertised.listeners",
                        "DIRECT://localhost:%d,PROXIED://localhost:%d".formatted(direct, named)),
                Map.entry("listener.security.protocol.map", "DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"),
                Map.entry("log.dirs", folder.toString()),
                Map.entry("auto.create.topics.enable", "false"),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
                Map.entry("log.index.size.max.bytes", "1048576"),
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "2"),
                Map.entry("background.threads", "2"),
                Map.entry("controlled.shutdown.enable", "false"));
    }
}
