package dev.caravan.crash;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.RelayProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is no Kafka broker answers on the port of one. */
class NoBrokerIT {
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();

    /** The first four bytes are a length to Kafka's client: 1.2 GB, 352 MB and 2 GB. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "\u0015\u0003\u0003\u0000\u0002\u0002\u0046",
                "\u007f\u00ff\u00ff\u00ff"
            })
    void a_server_that_is_no_broker_does_not_end_the_relay(String answer, @TempDir Path folder) throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            new Thread(() -> answer(server, answer.getBytes(StandardCharsets.ISO_8859_1))).start();
            Files.writeString(folder.resolve("orders.camel.yaml"), """
                    - route:
                        id: orders
                        from:
                          uri: outbox:orders
                          steps:
                            - to: {uri: "kafka:orders?brokers=localhost:%d"}
                    - route:
                        id: others
                        from:
                          uri: outbox:others
                          steps:
                            - log: delivered
                    """.formatted(server.getLocalPort()));
            Map<String, String> settings = new HashMap<>(outbox.connection());
            settings.put("caravan.routes", folder.toString());
            try (RelayProcess relay = RelayProcess.start("no-broker", folder.resolve("logs"), settings)) {
                outbox.insert("a");
                eventually(Duration.ofSeconds(60), () -> assertThat(accepted)
                        .as("connections to the server")
                        .hasSizeGreaterThan(3));

                long later = outbox.insert("b");
                eventually(Duration.ofSeconds(20), () -> assertThat(outbox.passed("others", later))
                        .isTrue());
                assertThat(outbox.passed("orders", 1)).isFalse();
                assertThat(relay.log()).doesNotContain("Invalid receive", "OutOfMemoryError");
            }
        }
    }

    private void answer(ServerSocket server, byte[] answer) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                accepted.add(socket);
                if (socket.getInputStream().read() >= 0) {
                    socket.getOutputStream().write(answer);
                }
            } catch (IOException e) {
                // the end of the test, or of the relay
            }
        }
    }
}
