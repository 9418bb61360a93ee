package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.ConnectException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.io.HttpClientConnection;

/**
 * Sends no request on a connection on which something has arrived since the last answer, for example a 408 because it was idle, or a second
 * answer. It would be taken for the answer to this request, so that a message counts as delivered that the receiver did not get. Uses another
 * connection instead.
 */
final class UnusedConnections implements ExecChainHandler {
    /** More than there are connections to a receiver that can be used again. A proxy can send something on each new one. */
    private static final int MOST = 1_000;

    private static final Field RECEIVED = received();

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
                return chain.proceed(request, scope);
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

    /** Without waiting, unlike the method of the connection. */
    private static boolean hasReceived(DefaultBHttpClientConnection connection) {
        try {
            return ((SessionInputBufferImpl) RECEIVED.get(connection)).hasBufferedData();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // accessible
        }
    }

    private static Field received() {
        try {
            Field field = DefaultBHttpClientConnection.class.getSuperclass().getDeclaredField("inBuffer");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of the HTTP client has no buffer of a connection", e);
        }
    }
}
