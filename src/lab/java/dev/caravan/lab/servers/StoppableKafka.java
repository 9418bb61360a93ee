package dev.caravan.lab.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;

/**
 * A Kafka broker in this process that can be stopped and started again with its data. It has two listeners: a
 * direct one for this program, and one behind a {@link TcpProxy}, whose address it returns to the clients of that listener.
 */
public final class StoppableKafka implements AutoCloseable {
    private final TcpProxy proxy;
    private final int port;
    private final KafkaConfig configuration;
    private KafkaRaftServer server;

    private StoppableKafka(Path folder) throws Exception {
        try (var direct = free();
                var proxied = free();
                var controller = free()) {
            port = direct.getLocalPort();
            proxy = TcpProxy.to(proxied.getLocalPort());
            configuration =
                    configuration(folder, port, proxied.getLocalPort(), proxy.port(), controller.getLocalPort());
        }
        KafkaNode.format(folder, 1, Uuid.randomUuid().toString());
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
            server = KafkaNode.start(configuration);
        }
    }

    /** Stops the broker. No effect while it is stopped. */
    public synchronized void stop() {
        if (server != null) {
            KafkaNode.stop(server);
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

    private static KafkaConfig configuration(Path folder, int direct, int proxied, int named, int controller) {
        return KafkaNode.configuration(
                folder,
                Map.of(
                        "process.roles", "broker,controller",
                        "node.id", "1",
                        "controller.quorum.voters", "1@localhost:" + controller,
                        "inter.broker.listener.name", "DIRECT",
                        "listeners",
                                "DIRECT://localhost:%d,PROXIED://localhost:%d,CONTROLLER://localhost:%d"
                                        .formatted(direct, proxied, controller),
                        "advertised.listeners", "DIRECT://localhost:%d,PROXIED://localhost:%d".formatted(direct, named),
                        "listener.security.protocol.map", "DIRECT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
                        "auto.create.topics.enable", "false"));
    }
}
