package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
    private ServerSocket echo;
    private TcpProxy proxy;

    @BeforeEach
    void start() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread server = new Thread(this::echo, "echo");
        server.setDaemon(true);
        server.start();
        proxy = TcpProxy.to(echo.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    private void echo() {
        while (!echo.isClosed()) {
            try {
                Socket socket = echo.accept();
                Thread one = new Thread(
                        () -> {
                            try (socket) {
                                socket.getInputStream().transferTo(socket.getOutputStream());
                            } catch (IOException e) {
                                // cut by the proxy
                            }
                        },
                        "echo-one");
                one.setDaemon(true);
                one.start();
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    @Test
    void passes_on_what_is_sent_in_both_directions_and_the_end() throws IOException {
        try (Socket client = connect()) {
            assertThat(answer(client, "hello")).isEqualTo("hello");
            client.shutdownOutput();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void delays_each_piece_in_both_directions() throws IOException {
        try (Socket client = connect()) {
            answer(client, "warm");
            proxy.delay(Duration.ofMillis(60));
            long began = System.nanoTime();
            assertThat(answer(client, "slow")).isEqualTo("slow");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(120));
        }
    }

    @Test
    void a_reset_ends_what_is_open_and_new_connections_work() throws IOException {
        try (Socket client = connect()) {
            answer(client, "hello");
            proxy.reset();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        }
        try (Socket client = connect()) {
            assertThat(answer(client, "again")).isEqualTo("again");
        }
    }

    @Test
    void silent_connections_stay_open_receive_nothing_and_are_reset_afterwards() throws IOException {
        try (Socket before = connect()) {
            answer(before, "hello");
            proxy.dropData();
            try (Socket during = connect()) {
                before.setSoTimeout(200);
                during.setSoTimeout(200);
                assertThatThrownBy(() -> answer(before, "hello")).isInstanceOf(SocketTimeoutException.class);
                assertThatThrownBy(() -> answer(during, "hello")).isInstanceOf(SocketTimeoutException.class);
                before.setSoTimeout(15_000);
                during.setSoTimeout(15_000);
                proxy.pass();
                assertThatThrownBy(() -> before.getInputStream().read()).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> during.getInputStream().read()).isInstanceOf(SocketException.class);
            }
        }
        try (Socket after = connect()) {
            assertThat(answer(after, "again")).isEqualTo("again");
        }
    }

    @Test
    void cuts_a_connection_in_the_middle_of_an_answer() throws IOException {
        proxy.cutAfter(7);
        try (Socket client = connect()) {
            assertThat(answer(client, "hello")).isEqualTo("hello");
            client.getOutputStream().write("world".getBytes());
            assertThatThrownBy(() -> client.getInputStream().readNBytes(5)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void refuses_until_it_passes_again_on_the_same_port() throws IOException {
        proxy.refuse();
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        proxy.pass();
        try (Socket client = connect()) {
            assertThat(answer(client, "again")).isEqualTo("again");
        }
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        client.setSoTimeout(15_000);
        return client;
    }

    private static String answer(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes());
        return new String(client.getInputStream().readNBytes(text.length()));
    }
}
