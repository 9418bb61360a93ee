package dev.caravan.camel.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are no brokers, whose first four bytes Kafka's client takes for a length. */
@Timeout(60)
class AnswerSizeIT {
    private static final byte[] TWO_GIGABYTES = {0x7f, -1, -1, -1};

    /** With a login, Kafka reads the first answers in another way. */
    @ParameterizedTest
    @ValueSource(strings = {"PLAINTEXT", "SASL_PLAINTEXT"})
    void no_memory_is_allocated_for_the_length_of_an_answer(String protocol) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                WrittenLog log = WrittenLog.of("org.apache.kafka.common.utils.KafkaThread")) {
            new Thread(() -> answer(server)).start();
            KafkaClients clients = new KafkaClients(AnswerSizeIT.class.getClassLoader());
            Producer<Object, Object> producer = clients.getProducer(settings(server.getLocalPort(), protocol));

            assertThatThrownBy(() -> producer.partitionsFor("orders")).isInstanceOf(TimeoutException.class);

            assertThat(log.lines()).noneMatch(line -> line.contains("Uncaught exception"));
            producer.close(Duration.ZERO);
        }
    }

    private static void answer(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(TWO_GIGABYTES);
                socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                continue; // the client, or the test, has ended
            }
        }
    }

    private static Properties settings(int port, String protocol) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "localhost:" + port);
        settings.put("key.serializer", StringSerializer.class);
        settings.put("value.serializer", StringSerializer.class);
        settings.put("max.block.ms", 2_000);
        settings.put("security.protocol", protocol);
        settings.put("sasl.mechanism", "PLAIN");
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"any\" password=\"any\";");
        return settings;
    }
}
