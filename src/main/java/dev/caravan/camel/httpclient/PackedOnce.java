package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.AnswerLimits;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.entity.DecompressingEntity;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;

/**
 * Unpacks an answer that is packed with gzip, in place of the client. Does not read an answer that is packed more than once: a few kilobytes could
 * become terabytes on the way, of which the limit of the length sees nothing and which no deadline ends, and a list of thousands of codings fills
 * the stack.
 */
final class PackedOnce implements ExecChainHandler {
    private static final Set<String> GZIP = Set.of("gzip", "x-gzip");

    private final AnswerLimits limits;

    PackedOnce(AnswerLimits limits) {
        this.limits = limits;
    }

    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        ClassicHttpResponse response = chain.proceed(request, scope);
        if (response.getEntity() == null) {
            return response;
        }
        if (codings(response).size() > 1) {
            response.removeHeaders(HttpHeaders.CONTENT_ENCODING);
            response.setEntity(
                    new InputStreamEntity(new Unread("it is packed more than once (Content-Encoding)"), null));
        } else if (isGzip(response)
                && scope.clientContext.getRequestConfigOrDefault().isContentCompressionEnabled()) {
            List.of(HttpHeaders.CONTENT_ENCODING, HttpHeaders.CONTENT_LENGTH, HttpHeaders.CONTENT_MD5)
                    .forEach(response::removeHeaders);
            response.setEntity(new DecompressingEntity(
                    response.getEntity(), packed -> new Gunzipped(packed, limits.getMaxAnswerBytes())));
        }
        return response;
    }

    /** Those of all lines, which are one list (RFC 9110, 5.3). */
    private static List<String> codings(HttpResponse response) {
        return Arrays.stream(response.getHeaders(HttpHeaders.CONTENT_ENCODING))
                .flatMap(line -> Arrays.stream(line.getValue().split(",")))
                .map(coding -> coding.replaceFirst(";.*", "").strip())
                .filter(coding -> !coding.isEmpty() && !coding.equalsIgnoreCase("identity"))
                .toList();
    }

    /** Whether an answer is packed with gzip, and once. */
    static boolean isGzip(HttpResponse response) {
        List<String> codings = codings(response);
        return codings.size() == 1 && isGzip(codings.get(0));
    }

    /** Whether a coding is that of RFC 9110, 8.4.1.3. To Camel, each is that has gzip in its name. */
    static boolean isGzip(String coding) {
        return GZIP.contains(coding.strip().toLowerCase(Locale.ROOT));
    }

    /** Not even a short rest is read, so the connection is closed. */
    static final class Unread extends InputStream {
        private final String reason;

        Unread(String reason) {
            this.reason = reason;
        }

        @Override
        public int read() throws IOException {
            throw new IOException(reason);
        }
    }
}
