package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.impl.io.SocketHolder;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.util.Timeout;

/**
 * Sends no request on a connection on which something has arrived since the last answer, for example a 408 because it was idle, or a second
 * answer. It would be taken for the answer to this request, so that a message counts as delivered that the receiver did not get. Uses another
 * connection instead.
 */
final class UnusedConnections implements ExecChainHandler {
    /** More than there are connections to a receiver that can be used again. A proxy can send something on each new one. */
    private static final int MOST = 1_000;

    private static final Class<?> CONNECTION = DefaultBHttpClientConnection.class.getSuperclass();
    private static final Timeout READ = Timeout.ofMilliseconds(1);

    /** Nothing was sent. */
    static final class AnsweredBefore extends IOException {
        private static final long serialVersionUID = 1;
    }

    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        Header[] headers = request.getHeaders();
        for (int tries = 0; tries < MOST; tries++) {
            try {
                return RunningRequest.of(scope.clientContext).connectAndSend(() -> chain.proceed(request, scope));
            } catch (AnsweredBefore e) {
                scope.execRuntime.discardEndpoint();
                request.setHeaders(headers); // the client has added some
            }
        }
        throw new ConnectException("each connection receives something before a request is sent on it");
    }

    /** @throws IOException if the connection has received something that no request asked for; this handler uses another one then */
    static void require(HttpClientConnection connection) throws IOException {
        if (connection instanceof DefaultBHttpClientConnection http && hasReceived(http)) {
            throw new AnsweredBefore();
        }
    }

    private static boolean hasReceived(DefaultBHttpClientConnection connection) throws IOException {
        return FieldCopy.value(CONNECTION, "inBuffer", connection, SessionInputBufferImpl.class)
                        .hasBufferedData()
                || isUsedAgain(connection) && hasArrived(connection);
    }

    private static boolean isUsedAgain(DefaultBHttpClientConnection connection) {
        EndpointDetails details = connection.getEndpointDetails();
        return details != null && details.getRequestCount() > 0;
    }

    /** Whether there is something that the connection has not read. Waits only if there is: over TLS it may be no answer. */
    private static boolean hasArrived(DefaultBHttpClientConnection connection) throws IOException {
        SocketHolder sockets =
                (SocketHolder) FieldCopy.value(CONNECTION, "socketHolderRef", connection, AtomicReference.class)
                        .get();
        if (sockets == null) {
            return false; // closed
        }
        Socket belowTls = sockets.getBaseSocket() == null ? sockets.getSocket() : sockets.getBaseSocket();
        return belowTls.getInputStream().available() > 0 && connection.isDataAvailable(READ);
    }
}
