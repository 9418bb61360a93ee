package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;

/**
 * Does not read an answer that is packed more than once. A few kilobytes could become terabytes on the way, of which the limit of the length sees
 * nothing and which no deadline ends, and a list of thousands of codings fills the stack.
 */
final class PackedOnce implements ExecChainHandler {
    @Override
    public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        ClassicHttpResponse response = chain.proceed(request, scope);
        HttpEntity entity = response.getEntity();
        String codings = entity == null ? null : entity.getContentEncoding();
        if (codings != null && codings.indexOf(',') >= 0) {
            response.removeHeaders(HttpHeaders.CONTENT_ENCODING);
            response.setEntity(
                    new InputStreamEntity(new Unread("it is packed more than once (Content-Encoding)"), null));
        }
        return response;
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
