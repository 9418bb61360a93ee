package dev.caravan.console.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import io.vertx.core.net.HostAndPort;
import java.util.List;

/**
 * Refuses requests that a proxy in front of the relay may understand in another way: RFC 9112, sections 3.2, 6.1 and 6.3. Netty accepts
 * them. The server answers 400 and closes the connection.
 */
final class RequestDecoder extends VertxHttpRequestDecoder {
    RequestDecoder(HttpServerOptions options) {
        super(options);
    }

    /** Called when all headers of a request are known, before its body is read. What it throws makes the request invalid. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage request) {
        HttpHeaders headers = request.headers();
        boolean since11 = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        List<String> hosts = headers.getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1
                || (hosts.isEmpty() && since11)
                || hosts.stream().anyMatch(host -> HostAndPort.parseAuthority(host, -1) == null)) {
            throw new IllegalArgumentException("A request has one header Host");
        }
        List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!encodings.isEmpty()
                && (!since11
                        || encodings.size() > 1
                        || !encodings.get(0).equalsIgnoreCase("chunked")
                        || headers.contains(HttpHeaderNames.CONTENT_LENGTH))) {
            throw new IllegalArgumentException("The length of the body is not certain");
        }
        new QueryStringDecoder(((HttpRequest) request).uri())
                .path(); // throws here, and not as an error that Vert.x logs
        return super.isContentAlwaysEmpty(request);
    }
}
