package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.caravan.WrittenLog;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.camel.support.jsse.SSLContextParameters;
import org.apache.camel.support.jsse.TrustManagersParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mail server that replies without end. */
class MailAnswersIT {
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final TestOutbox outbox = TestOutbox.create();
    private ServerSocket server;

    @BeforeEach
    void create() throws Exception {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "email, 250-more, 20, not complete within 500 ms",
        "smtp,  250-more, 20, not complete within 500 ms",
        "email, 250-more, 0,  longer than 1048576 bytes",
        "smtp,  LINE,     0,  longer than 1048576 bytes",
    })
    void an_attempt_ends_although_the_replies_do_not(String step, String reply, int pause, String reason)
            throws Exception {
        new Thread(() -> serve(reply, pause)).start();
        try (WrittenLog log = WrittenLog.of(AttemptLog.class);
                TestRelay relay = start(step, pause == 0 ? 60_000 : 500)) {
            outbox.insert("a");

            eventually(Duration.ofSeconds(50), () -> assertThat(log.lines()).anyMatch(line -> line.contains(reason)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslContextParameters=#trusting", "mail.smtps.ssl.trust=*"})
    @Tag("long")
    void a_mail_over_tls_arrives(String trust) throws Exception {
        GreenMail tls = new GreenMail(new ServerSetup(0, "localhost", ServerSetup.PROTOCOL_SMTPS));
        tls.start();
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("trusting", trusting());
            routes.from("outbox:orders")
                    .to("smtps://localhost:" + tls.getSmtps().getPort()
                            + "?from=shop@example.com&to=guest@example.com&" + trust
                            + "&mail.smtps.ssl.checkserveridentity=false");
        })) {
            outbox.insert("a");

            eventually(() -> assertThat(tls.getReceivedMessages()).hasSize(1));
        } finally {
            tls.stop();
        }
    }

    /** TLS that accepts every certificate. */
    private static SSLContextParameters trusting() {
        TrustManagersParameters all = new TrustManagersParameters();
        all.setTrustManager(new X509ExtendedTrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        });
        SSLContextParameters tls = new SSLContextParameters();
        tls.setTrustManagers(all);
        return tls;
    }

    private TestRelay start(String step, int timeout) throws Exception {
        String address = "localhost:" + server.getLocalPort();
        String to = step.equals("email")
                ? "email:any?timeout=" + timeout + "ms&server=smtp://" + address
                        + "&from=shop@example.com&to=guest@example.com&subject=hello&text=hello"
                : step + "://" + address + "?connectionTimeout=" + timeout
                        + "&from=shop@example.com&to=guest@example.com";
        return TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:orders").to(to));
    }

    private void serve(String reply, int pause) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                new Thread(() -> reply(socket, reply, pause)).start();
            } catch (IOException e) {
                return; // the end of the test
            }
        }
    }

    private static void reply(Socket socket, String reply, int pause) {
        try (socket) {
            OutputStream out = socket.getOutputStream();
            out.write("220 ready\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] more =
                    (reply.equals("LINE") ? "2".repeat(8192) : reply + "\r\n").getBytes(StandardCharsets.US_ASCII);
            while (true) {
                out.write(more);
                Thread.sleep(pause);
            }
        } catch (IOException | InterruptedException e) {
            // the client ended the connection
        }
    }
}
