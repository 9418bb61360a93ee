package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/** A node of a Kafka in this process (KRaft), with its data in a folder. */
final class KafkaNode {
    private KafkaNode() {}

    /** Prepares an empty folder. */
    static void format(Path data, int id, String cluster) throws IOException {
        var formatter = new Formatter()
                .setNodeId(id)
                .setClusterId(cluster)
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
    static KafkaConfig configuration(Path data, Map<String, String> own) {
        Map<String, String> all = new HashMap<>(Map.ofEntries(
                Map.entry("controller.listener.names", "CONTROLLER"),
                Map.entry("log.dirs", data.toString()),
                Map.entry("offsets.topic.num.partitions", "1"),
                Map.entry("offsets.topic.replication.factor", "1"),
                Map.entry("log.cleaner.dedupe.buffer.size", "2097152"),
                Map.entry("log.index.size.max.bytes", "1048576"),
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "2"),
                Map.entry("background.threads", "2"),
                Map.entry("controlled.shutdown.enable", "false")));
        all.putAll(own);
        return new KafkaConfig(all);
    }

    static KafkaRaftServer start(KafkaConfig configuration) {
        KafkaRaftServer server = new KafkaRaftServer(configuration, Time.SYSTEM);
        server.startup();
        return server;
    }

    static void stop(KafkaRaftServer server) {
        server.shutdown();
        server.awaitShutdown();
    }
}
