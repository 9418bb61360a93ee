package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.jsse.KeyManagersParameters;
import org.apache.camel.support.jsse.KeyStoreParameters;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.apache.camel.support.jsse.TrustManagersParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers over TLS, whose connections transport messages of TLS too, and whose refusals have an order of their own. */
class HttpsAnswersIT {
    private static final String PASSWORD = "password";

    @TempDir
    private static Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;
    private ServerSocket receiver;

    @BeforeAll
    static void createCertificate() throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost",
                        "-validity",
                        "3650",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
    }

    private static String store() {
        return folder.resolve("localhost.p12").toString();
    }

    @AfterEach
    void stop() throws IOException {
        receiver.close();
        for (Socket connection : connections) {
            connection.close();
        }
        threads.shutdownNow();
    }

    /** Such as a session ticket or new keys, which arrive between an answer and the next request. */
    @Test
    void a_connection_is_used_again_after_a_message_of_tls() throws Exception {
        listen("TLSv1.3", false, (socket, connection) -> {
            while (true) {
                read(socket.getInputStream());
                socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes());
                socket.startHandshake(); // new keys
                answered.incrementAndGet();
            }
        });
        start();

        for (int i = 1; i <= 3; i++) {
            outbox.awaitPassed("orders", outbox.insert("a"));
            int requests = i;
            eventually(() -> assertThat(answered).hasValue(requests));
        }
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(connections).hasSize(1);
    }

    /** With TLS 1.3 the refusal arrives after the request, or while a long one is sent. */
    @ParameterizedTest
    @CsvSource({"TLSv1.2, 1", "TLSv1.3, 1", "TLSv1.3, 8000000"})
    void a_certificate_that_the_receiver_does_not_accept_costs_no_attempt(String version, int length) throws Exception {
        listen(version, true, (socket, connection) -> {
            try {
                read(socket.getInputStream());
            } finally {
                connection.close();
            }
        });
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start();
            outbox.insert("a", "order.created", "\"" + "a".repeat(length) + "\"");

            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is unavailable")));
            assertThat(outbox.waiting("orders")).isEmpty();
        }
    }

    @Test
    void a_refusal_of_a_part_of_the_message_is_its_answer() throws Exception {
        listen("TLSv1.3", false, (socket, connection) -> {
            socket.getInputStream().read();
            socket.getOutputStream()
                    .write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes());
            connection.close();
        });
        start();
        long id = outbox.insert("a", "order.created", "\"" + "a".repeat(8_000_000) + "\"");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
    }

    /** Such as {@code Connection: close} while the message is still read. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void a_receiver_that_accepts_a_message_early_gets_the_rest_of_it(String version) throws Exception {
        listen(version, false, (socket, connection) -> {
            InputStream in = socket.getInputStream();
            in.read();
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".getBytes());
            Thread.sleep(500);
            byte[] part = new byte[100_000];
            int length = 0;
            for (int more = 0; more >= 0; more = in.read(part)) {
                length += more;
                answered.set(length);
                Thread.sleep(1);
            }
            connection.close();
        });
        start();

        outbox.awaitPassed("orders", outbox.insert("a", "order.created", "\"" + "a".repeat(2_500_000) + "\""));
        eventually(() -> assertThat(answered).hasValueGreaterThan(2_500_000));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void a_receiver_that_accepts_a_message_and_reads_it_no_further_delays_it_for_seconds_only() throws Exception {
        listen("TLSv1.3", false, (socket, connection) -> {
            socket.getInputStream().read();
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes());
            Thread.sleep(60_000);
        });
        start();

        outbox.awaitPassed("orders", outbox.insert("a", "order.created", "\"" + "a".repeat(2_500_000) + "\""));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    private interface Conversation {
        void with(SSLSocket socket, Socket connection) throws Exception;
    }

    private void listen(String version, boolean demandsLogin, Conversation conversation) throws Exception {
        SSLContext context = parameters(true).createSSLContext(new DefaultCamelContext());
        receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(() -> {
            while (!receiver.isClosed()) {
                try {
                    Socket connection = receiver.accept();
                    connections.add(connection);
                    threads.execute(() -> answer(context, connection, version, demandsLogin, conversation));
                } catch (IOException e) {
                    return; // the end of the test
                }
            }
        });
    }

    /** Leaves the connection open, as servers do so that the client reads the refusal. */
    private static void answer(
            SSLContext context, Socket connection, String version, boolean demandsLogin, Conversation conversation) {
        try {
            SSLSocket socket = (SSLSocket)
                    context.getSocketFactory().createSocket(connection, "localhost", connection.getPort(), false);
            socket.setUseClientMode(false);
            socket.setNeedClientAuth(demandsLogin);
            socket.setEnabledProtocols(new String[] {version});
            conversation.with(socket, connection);
        } catch (Exception e) {
            // the client ended the connection, or is not accepted
        }
    }

    /** Reads a request with a length. */
    private static void read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("closed");
            }
            head.append((char) b);
        }
        in.readNBytes(Integer.parseInt(head.toString().replaceFirst("(?is).*content-length:\\s*(\\d+).*", "$1")));
    }

    private void start() throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            var https = routes.getContext().getComponent("https", HttpComponent.class);
            https.setSslContextParameters(parameters(false));
            routes.from("outbox:orders").to("https://localhost:" + receiver.getLocalPort() + "/hook");
        });
    }

    private static SSLContextParameters parameters(boolean hasKey) {
        KeyStoreParameters store = new KeyStoreParameters();
        store.setResource("file:" + store());
        store.setPassword(PASSWORD);
        SSLContextParameters parameters = new SSLContextParameters();
        TrustManagersParameters trust = new TrustManagersParameters();
        trust.setKeyStore(store);
        parameters.setTrustManagers(trust);
        if (hasKey) {
            KeyManagersParameters keys = new KeyManagersParameters();
            keys.setKeyStore(store);
            keys.setKeyPassword(PASSWORD);
            parameters.setKeyManagers(keys);
        }
        return parameters;
    }
}
