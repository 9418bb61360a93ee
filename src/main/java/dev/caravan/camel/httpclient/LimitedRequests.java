package dev.caravan.camel.httpclient;

import dev.caravan.camel.headers.AnswerCharset;
import dev.caravan.camel.step.AnswerLimits;
import java.io.IOException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.component.http.HttpConstants;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.util.Timeout;

/** Limits the time of each request, and the length of its answer. */
final class LimitedRequests implements ExecChainHandler {
    private static final Pattern QUOTED = Pattern.compile("(?i)(;\\s*charset\\s*=\\s*)'([^';]+)'");
    private static final Pattern EMPTY_CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*(\"\\s*\"|''|;|$)");

    private final AnswerLimits limits;

    LimitedRequests(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        RunningRequest running = running(scope);
        running.attachTo(scope.clientContext);
        boolean isAnswered = false;
        try {
            ExecChain.Scope whole = SentWhole.in(scope, running);
            ClassicHttpResponse response = chain.proceed(request, whole);
            requireUsableType(response);
            if (response.getEntity() != null) {
                response.setEntity(new LimitedAnswer(
                        response.getEntity(), limits.getMaxAnswerBytes(), running, whole.execRuntime::discardEndpoint));
                isAnswered = true;
            }
            return response;
        } catch (IOException e) {
            throw running.classified(e);
        } finally {
            if (!isAnswered) {
                running.close();
            }
        }
    }

    /**
     * Camel fails on unknown character sets, on invalid types, and in the next step on the type of serialized objects, although the status
     * says what happened to the message. It takes a character set in single quotes.
     */
    private static void requireUsableType(ClassicHttpResponse response) {
        Header type = response.getFirstHeader(HttpHeaders.CONTENT_TYPE);
        response.removeHeaders(HttpHeaders.CONTENT_TYPE); // of several, which would be sent on as one, the first counts
        Stream.ofNullable(type)
                .map(Header::getValue)
                .map(value -> QUOTED.matcher(value).replaceFirst("$1$2"))
                .flatMap(value -> Stream.of(value, AnswerCharset.without(value)))
                .filter(LimitedRequests::isUsable)
                .findFirst()
                .ifPresent(value -> response.setHeader(HttpHeaders.CONTENT_TYPE, value));
    }

    private static boolean isUsable(String type) {
        try {
            if (EMPTY_CHARSET.matcher(type).find()) {
                return false;
            }
            ContentType.parse(type);
            return !ContentType.create(type.replaceFirst(";.*", "").strip())
                    .isSameMimeType(ContentType.create(HttpConstants.CONTENT_TYPE_JAVA_SERIALIZED_OBJECT));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A response timeout of the endpoint limits the whole answer, and not only the wait for its next byte. */
    private RunningRequest running(ExecChain.Scope scope) {
        RequestConfig options = scope.clientContext.getRequestConfigOrDefault();
        Timeout answer = options.getResponseTimeout();
        boolean isLimited = answer != null && answer.isEnabled();
        long whole = Math.max(limits.getAttemptTimeout(), isLimited ? answer.toMilliseconds() : 0);
        return new RunningRequest(
                scope.route.getTargetHost(),
                Timeout.ofMilliseconds(whole),
                isLimited ? answer : Timeout.ofMilliseconds(whole),
                scope.originalRequest instanceof Cancellable original
                        ? original::cancel
                        : scope.execRuntime::discardEndpoint);
    }
}
