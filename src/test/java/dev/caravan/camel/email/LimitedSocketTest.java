package dev.caravan.camel.email;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.AnswerLimits;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LimitedSocketTest {
    private static final class Limits implements AnswerLimits {
        @Override
        public long getAttemptTimeout() {
            return 200;
        }

        @Override
        public int getMaxAnswerBytes() {
            return 1_000;
        }
    }

    @Test
    void a_mail_that_the_server_does_not_take_ends_with_a_timeout_as_its_reason() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LimitedSocket socket = new LimitedSocket(new Limits(), Clock.SYSTEM)) {
            socket.connect(server.getLocalSocketAddress());
            OutputStream mail = socket.getOutputStream();
            CompletableFuture.runAsync(
                    () -> close(socket), CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));

            assertThatThrownBy(() -> mail.write(new byte[100_000_000]))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("not complete within 200 ms");
        }
    }

    /** As the mail library does after its writetimeout. */
    private static void close(LimitedSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
