package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HeaderElements;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.Timeout;

/**
 * Sends a request and receives the head of its answer. Uses the answer of a receiver that refuses the message and closes the connection while
 * the body is sent, for example because it is too large. An acceptance then counts as no answer: the receiver cannot have the whole message.
 */
final class EarlyAnswers extends HttpRequestExecutor {
    private static final Timeout ARRIVED = Timeout.ofMilliseconds(500);

    @Override
    public ClassicHttpResponse execute(
            ClassicHttpRequest request,
            HttpClientConnection connection,
            HttpResponseInformationCallback callback,
            HttpContext context)
            throws IOException, HttpException {
        UnusedConnections.require(connection);
        RunningRequest running = RunningRequest.of(context);
        running.acceptedOn(null);
        SocketException[] broken = {null};
        try {
            ClassicHttpResponse answer =
                    super.execute(request, observed(request, connection, running, broken), callback, context);
            if (broken[0] != null && answer.getCode() < HttpStatus.SC_REDIRECTION) {
                throw broken[0];
            }
            if (answer instanceof AnswerHeads.StatusOnly status) {
                status.cut();
            }
            running.answered(answer);
            if (answer.getCode() < HttpStatus.SC_REDIRECTION) {
                running.acceptedOn(connection);
            }
            return answer;
        } catch (IOException | HttpException e) {
            if (broken[0] == null || e instanceof SSLException) {
                throw e; // over TLS, a receiver says why it has ended the connection
            }
            throw broken[0];
        }
    }

    /** @param broken gets the failure of the sending, after which the answer is received if it has arrived */
    private static HttpClientConnection observed(
            ClassicHttpRequest request,
            HttpClientConnection connection,
            RunningRequest running,
            SocketException[] broken) {
        return (HttpClientConnection) Proxy.newProxyInstance(
                EarlyAnswers.class.getClassLoader(),
                new Class<?>[] {HttpClientConnection.class},
                (proxy, method, arguments) -> {
                    boolean isFlush = method.getName().equals("flush");
                    try {
                        return isFlush && broken[0] != null ? null : method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        boolean sends = isFlush || method.getName().equals("sendRequestEntity");
                        if (!sends || !(e.getCause() instanceof SocketException failure)) {
                            throw e.getCause();
                        }
                        broken[0] = failure;
                        connection.setSocketTimeout(ARRIVED);
                        request.setHeader(HttpHeaders.CONNECTION, HeaderElements.CLOSE); // not used again
                        return null;
                    } finally {
                        if (isFlush) {
                            running.sent();
                        }
                    }
                });
    }
}
