package dev.caravan.routes.component;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Serves a {@link FileRepository} over HTTP, with checksums. It can also be used as a proxy. */
public final class RepositoryServer implements AutoCloseable {
    /** Answers to requests for a file, by its name. */
    public final Map<String, Integer> answers = new ConcurrentHashMap<>();

    private final Predicate<Headers> allowed;
    private final HttpServer server;

    /** @param allowed whether a request with these headers is allowed */
    public RepositoryServer(FileRepository repository, Predicate<Headers> allowed) throws IOException {
        this.allowed = allowed;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            Path file = repository.folder().resolve(path.substring(1).replaceFirst("\\.sha1$", ""));
            int status = status(exchange.getRequestHeaders(), file);
            byte[] body = status != 200 ? new byte[0] : path.endsWith(".sha1") ? sha1(file) : Files.readAllBytes(file);
            if (status == 401) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"repository\"");
            }
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private int status(Headers request, Path file) {
        return allowed.test(request)
                ? answers.getOrDefault(file.getFileName().toString(), Files.exists(file) ? 200 : 404)
                : 401;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return "http://localhost:" + port();
    }

    /** The SHA-1 checksum of a file, in hexadecimal digits. */
    public static byte[] sha1(Path file) throws IOException {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(file)))
                    .getBytes();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
