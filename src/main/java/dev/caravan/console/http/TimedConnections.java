package dev.caravan.console.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.impl.VertxWrapper;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A Vert.x instance whose HTTP servers close connections that send no complete request header in time. Camel takes it from its registry
 * for the management server.
 *
 * <p>The idle timeout of Vert.x is not used. It would also close a connection while a long request is answered, and it would
 * not close one that sends single bytes slowly.
 *
 * <p>HTTP/2 without TLS is disabled. A proxy that passes on the upgrade to it no longer sees the requests that follow, so a client could
 * set the headers that only the proxy may set. Also, Vert.x reports such a connection only after its first bytes.
 */
public final class TimedConnections extends VertxWrapper {
    private static final Duration FIRST_HEADER = Duration.ofSeconds(10);
    private static final Duration NEXT_HEADER = Duration.ofSeconds(60);

    private final Duration firstHeader;
    private final Duration nextHeader;
    private final Map<HttpConnection, Timing> open = new ConcurrentHashMap<>();

    /** Waits 10 s for the header of the first request, and 60 s after an answer for the next one. */
    public TimedConnections() {
        this(FIRST_HEADER, NEXT_HEADER);
    }

    /**
     * @param firstHeader the longest time from the connect to the end of the first request header
     * @param nextHeader the longest time from an answer to the end of the next request header
     */
    public TimedConnections(Duration firstHeader, Duration nextHeader) {
        super((VertxInternal) Vertx.vertx());
        this.firstHeader = firstHeader;
        this.nextHeader = nextHeader;
    }

    @Override
    public HttpServer createHttpServer(HttpServerOptions options) {
        return super.createHttpServer(options.setHttp2ClearTextEnabled(false)).connectionHandler(this::opened);
    }

    private void opened(HttpConnection connection) {
        Timing timing = new Timing(connection);
        open.put(connection, timing);
        connection.closeHandler(end -> {
            timing.stop();
            open.remove(connection);
        });
        timing.start(firstHeader);
    }

    /** The first handler of each request, whose header is complete. */
    public void received(RoutingContext request) {
        Timing timing = open.get(request.request().connection());
        if (timing != null) {
            timing.requests++;
            timing.stop();
            request.addEndHandler(end -> {
                timing.requests--;
                if (timing.requests == 0) {
                    timing.start(nextHeader);
                }
            });
        }
        request.next();
    }

    /** The timer of a connection. Only the event loop of the connection uses it. */
    private final class Timing {
        private final HttpConnection connection;
        private int requests;
        private long timer = -1;

        private Timing(HttpConnection connection) {
            this.connection = connection;
        }

        private void start(Duration limit) {
            stop();
            timer = setTimer(limit.toMillis(), id -> connection.close());
        }

        private void stop() {
            cancelTimer(timer);
        }
    }
}
