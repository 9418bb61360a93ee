package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecRuntime;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.Closer;

/**
 * Lets a receiver that has accepted a message read the rest of it before the connection is closed. The client would reset the connection, and what
 * the operating system has not sent yet would be lost.
 */
final class SentWhole {
    private static final Set<String> CLOSING = Set.of("discardEndpoint", "disconnectEndpoint");
    private static final long MOST_MILLIS = 5_000;
    private static final int MOST_BYTES = 1024 * 1024;

    private SentWhole() {}

    /** The scope of a request whose connection is ended in this way, if its answer is an acceptance. */
    static ExecChain.Scope in(ExecChain.Scope scope, RunningRequest running) {
        ExecRuntime others = scope.execRuntime;
        ExecRuntime runtime = (ExecRuntime) Proxy.newProxyInstance(
                SentWhole.class.getClassLoader(), new Class<?>[] {ExecRuntime.class}, (proxy, method, arguments) -> {
                    boolean closes = CLOSING.contains(method.getName())
                            || method.getName().equals("releaseEndpoint") && !others.isConnectionReusable();
                    if (closes && others.isEndpointAcquired()) { // otherwise another request may use it
                        running.endConnection();
                    }
                    try {
                        return method.invoke(others, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new ExecChain.Scope(scope.exchangeId, scope.route, scope.originalRequest, runtime, scope.clientContext);
    }

    /** Says that nothing more is sent, and waits until the receiver ends the connection, which it does after it has read all. */
    static void end(ManagedHttpClientConnection connection) {
        Socket socket = connection.getSocket();
        if (socket == null) {
            return; // closed
        }
        try (Deadline end = Deadline.in(MOST_MILLIS, () -> close(socket, connection))) {
            socket.setSoTimeout(0);
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            byte[] rest = new byte[8192];
            int more = 0;
            for (int all = 0; more >= 0 && all < MOST_BYTES; all += more) {
                more = in.read(rest);
            }
        } catch (IOException e) {
            // the status of the answer is known
        } finally {
            connection.close(CloseMode.GRACEFUL);
        }
    }

    /** What is in the buffers of a connection without TLS is still sent. TLS could wait here until the receiver reads. */
    private static void close(Socket socket, ManagedHttpClientConnection connection) {
        if (socket instanceof SSLSocket) {
            connection.close(CloseMode.IMMEDIATE);
        } else {
            Closer.closeQuietly(socket);
        }
    }
}
