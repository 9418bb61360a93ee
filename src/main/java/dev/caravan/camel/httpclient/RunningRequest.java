package dev.caravan.camel.httpclient;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.NoAnswerException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.Timeout;

/**
 * A request from the search for a connection to the end of its answer. Its time is limited, and it knows whether the receiver may have got it:
 * only a request of which nothing was sent is a failure of the destination, and no attempt.
 */
final class RunningRequest implements AutoCloseable {
    private static final String ATTRIBUTE = RunningRequest.class.getName();

    /** Demands of a login that are answered. NTLM and an expired nonce need two; a receiver could demand one without end. */
    private static final int MOST_LOGINS = 4;

    private static final List<String> DEMANDS = List.of(HttpHeaders.WWW_AUTHENTICATE, HttpHeaders.PROXY_AUTHENTICATE);

    /** With TLS 1.3, a receiver refuses the certificate of this client when the request is written already. It reads no request then. */
    private static final Pattern REFUSED_CERTIFICATE = Pattern.compile(
            "Received fatal alert: (?:(?:bad|unsupported)_certificate|certificate_(?:revoked|expired|unknown|required)"
                    + "|unknown_ca|access_denied)$");

    private final HttpHost receiver;
    private final Timeout answerTime;
    private final Runnable cancel;
    private final Deadline whole;
    private volatile Deadline answer;
    private volatile Timeout exceeded;
    /** The failure after which the receiver may have got the request, if it gave no answer since. */
    private NoAnswerException unanswered;

    /** On which the receiver has accepted the message; null before, and after it has ended. */
    private ManagedHttpClientConnection accepting;

    private boolean isSent;
    private int logins;

    /**
     * @param receiver to which the route sends the request
     * @param wholeTime limit from the start to the end of the answer
     * @param answerTime limit from the end of sending to the end of the answer
     * @param cancel ends the request from another thread
     */
    RunningRequest(HttpHost receiver, Timeout wholeTime, Timeout answerTime, Runnable cancel) {
        this.receiver = receiver;
        this.answerTime = answerTime;
        this.cancel = cancel;
        whole = limited(wholeTime);
        answer = whole;
    }

    private Deadline limited(Timeout time) {
        return Deadline.in(time.toMilliseconds(), () -> {
            exceeded = time;
            cancel.run();
        });
    }

    void attachTo(HttpContext context) {
        context.setAttribute(ATTRIBUTE, this);
    }

    /** The request of a client that {@link HttpDeliveries} has configured. */
    static RunningRequest of(HttpContext context) {
        return (RunningRequest) context.getAttribute(ATTRIBUTE);
    }

    /** Whether a host is the receiver, and no proxy. */
    boolean isTo(AuthScope host) {
        return SafeRedirects.isSameReceiver(receiver, new HttpHost(host.getProtocol(), host.getHost(), host.getPort()));
    }

    /** Limits the time for the answer. Called when the request is sent, again after each redirect. */
    void sent() {
        if (answer != whole) {
            answer.close();
        }
        answer = limited(answerTime);
    }

    /** Called with each answer of the receiver or of a proxy. */
    void answered(HttpResponse head) {
        if (DEMANDS.stream().anyMatch(head::containsHeader) && ++logins > MOST_LOGINS) {
            DEMANDS.forEach(head::removeHeaders); // the client returns this answer then
        }
    }

    /** Called before each request with null, and after it if its answer is an acceptance. */
    void acceptedOn(HttpClientConnection connection) {
        accepting = connection instanceof ManagedHttpClientConnection managed ? managed : null;
    }

    /** Called before a connection is closed. */
    void endConnection() {
        ManagedHttpClientConnection connection = accepting;
        accepting = null;
        if (connection != null) {
            SentWhole.end(connection);
        }
    }

    /**
     * Gets a token of OAuth, with a request of its own, before anything is sent. Without a token the destination is unavailable, because no message
     * can be sent to it.
     */
    String logIn(Login login) throws ConnectException {
        try {
            return login.token();
        } catch (IOException | HttpException | RuntimeException e) {
            throw withoutToken(e);
        }
    }

    /** Connects, if there is no connection, and sends. A proxy may refuse to connect; nothing was sent to the receiver then. */
    ClassicHttpResponse connectAndSend(Exchanged exchange) throws IOException, HttpException {
        isSent = false;
        try {
            ClassicHttpResponse head = exchange.run();
            if (isSent) {
                return head;
            }
            head.close();
            throw new ConnectException("the proxy does not connect to the receiver, and answers " + head.getCode());
        } catch (NoHttpResponseException | ConnectionClosedException | HttpException e) { // not of the receiver
            throw unavailable(e);
        }
    }

    /** Sends on a connection to the receiver, and receives the head of the answer. */
    ClassicHttpResponse send(Exchanged exchange) throws IOException, HttpException {
        isSent = true;
        try {
            ClassicHttpResponse head = exchange.run();
            unanswered = null;
            return head;
        } catch (IOException | HttpException | RuntimeException e) {
            if (e instanceof RuntimeException || isOfUnreadRequest(e)) {
                throw e;
            }
            unanswered = new NoAnswerException(reason(e), e);
            throw unanswered;
        }
    }

    private static boolean isOfUnreadRequest(Exception failure) {
        return failure instanceof ConnectException
                || failure instanceof UnknownHostException
                || failure instanceof NoRouteToHostException
                || failure instanceof UnusedConnections.AnsweredBefore
                || isRefusedCertificate(failure);
    }

    private static boolean isRefusedCertificate(Exception failure) {
        return failure instanceof SSLException
                && REFUSED_CERTIFICATE
                        .matcher(String.valueOf(failure.getMessage()))
                        .find();
    }

    /** Has no cause and no text of a parser, because these may quote a token. */
    private static ConnectException withoutToken(Exception failure) {
        String reason = failure instanceof NoAnswerException
                ? "no answer"
                : Causes.first(HttpException.class, failure)
                        .map(Throwable::getMessage)
                        .orElseGet(() ->
                                failure instanceof RuntimeException ? "an unusable answer" : failure.getMessage());
        return new ConnectException("no token from oauth2TokenEndpoint: " + reason);
    }

    /** A failure in a form that the error handling of the routes recognizes as an unavailable destination, if it is one. */
    IOException classified(IOException failure) {
        if (unanswered != null) {
            return unanswered; // also if the client has tried again, or replaced the exception because the request was
            // ended
        }
        boolean isRecognized = failure instanceof ConnectException
                || failure instanceof UnknownHostException
                || failure instanceof NoRouteToHostException
                || failure instanceof SSLHandshakeException
                || failure instanceof SSLPeerUnverifiedException;
        boolean isOfConnection = exceeded != null
                || failure instanceof SocketException
                || failure instanceof SocketTimeoutException
                || failure instanceof SSLException
                || failure instanceof ConnectionRequestTimeoutException;
        return isRecognized || !isOfConnection ? failure : unavailable(failure);
    }

    private ConnectException unavailable(Exception failure) {
        ConnectException unavailable = new ConnectException(reason(failure));
        unavailable.addSuppressed(failure);
        return unavailable;
    }

    /** Why the connection failed. If this request has exceeded its time, it closed the connection itself. */
    String reason(Exception failure) {
        Timeout limit = exceeded;
        return limit == null
                ? String.valueOf(failure.getMessage())
                : "not complete within " + limit.toMilliseconds() + " ms";
    }

    @Override
    public void close() {
        whole.close();
        answer.close();
    }

    /** The request of a token. */
    interface Login {
        String token() throws IOException, HttpException;
    }

    /** One exchange of a request and the head of an answer. */
    interface Exchanged {
        ClassicHttpResponse run() throws IOException, HttpException;
    }
}
