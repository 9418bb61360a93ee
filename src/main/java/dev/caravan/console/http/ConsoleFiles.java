package dev.caravan.console.http;

import io.netty.buffer.Unpooled;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.buffer.impl.BufferImpl;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/**
 * Serves the files of the console from the class path. Any other path gets the index file, which shows the page for the path.
 * Each file is read once and stored in memory, also compressed for browsers that accept gzip.
 */
public final class ConsoleFiles implements Handler<RoutingContext> {
    static final String PREFIX = "/console/";

    private static final Pattern NAME = Pattern.compile("(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)+");
    private static final String INDEX = "index.html";
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "mjs", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "md", "text/markdown; charset=utf-8");

    private record Content(String type, Buffer bytes, Buffer gzip, String sum) {}

    private final Map<String, Content> files = new ConcurrentHashMap<>();

    @Override
    public void handle(RoutingContext context) {
        if (context.request().method() != HttpMethod.GET && context.request().method() != HttpMethod.HEAD) {
            throw new HttpProblem(405, "Console files support GET and HEAD only.");
        }
        String path = context.normalizedPath();
        Content file = file(path.length() > PREFIX.length() ? path.substring(PREFIX.length()) : INDEX)
                .or(() -> file(INDEX))
                .orElseThrow(() -> HttpProblem.missing("This build does not contain the console."));
        boolean gzip = acceptsGzip(context.request().getHeader("Accept-Encoding"));
        Buffer bytes = gzip ? file.gzip() : file.bytes();
        String etag = "\"" + file.sum() + (gzip ? "-gzip" : "") + "\"";
        HttpServerResponse response = context.response()
                .putHeader("Content-Type", file.type())
                .putHeader("Cache-Control", "no-cache")
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("ETag", etag);
        if (gzip) {
            response.putHeader("Content-Encoding", "gzip");
        }
        if (etag.equals(context.request().getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
        } else if (context.request().method() == HttpMethod.HEAD) {
            response.putHeader("Content-Length", Integer.toString(bytes.length()))
                    .end();
        } else {
            response.end(bytes);
        }
    }

    /** Whether the header names gzip and does not refuse it with {@code q=0}. */
    private static boolean acceptsGzip(String accepted) {
        return accepted != null
                && Stream.of(accepted.toLowerCase(Locale.ROOT).replace(" ", "").split(","))
                        .anyMatch(each -> each.equals("gzip") || each.matches("gzip;q=(1(\\.0*)?|0?\\.\\d*[1-9]\\d*)"));
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream stream = new GZIPOutputStream(compressed)) {
            stream.write(bytes);
        }
        return compressed.toByteArray();
    }

    /** All answers use the same memory: Netty copies what is not in direct memory for each of them. */
    private static Buffer shared(byte[] bytes) {
        return BufferImpl.buffer(Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes)));
    }

    /** Reads only names that cannot leave the folder. */
    private Optional<Content> file(String name) {
        if (!NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        return Optional.ofNullable(files.computeIfAbsent(name, ConsoleFiles::read));
    }

    private static Content read(String name) {
        try (var stream = ConsoleFiles.class.getResourceAsStream(PREFIX + name)) {
            if (stream == null) {
                return null;
            }
            byte[] bytes = stream.readAllBytes();
            CRC32 sum = new CRC32();
            sum.update(bytes);
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
            return new Content(
                    type, shared(bytes), shared(gzip(bytes)), Long.toHexString(sum.getValue()) + "-" + bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
