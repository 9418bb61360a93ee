package dev.caravan.console.http;

import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.vertx.core.AsyncResult;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.Http1xServerConnection;
import io.vertx.core.http.impl.HttpServerImpl;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.impl.VertxWrapper;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A Vert.x instance whose HTTP servers stay usable whatever a client does: {@link RequestTurns} takes one request of a connection at a time
 * and closes a connection whose client is too slow, and of too many connections the one that has been unused for the longest time
 * is closed. Camel takes this instance from its registry for the management server.
 *
 * <p>The idle timeout of Vert.x is not used. It would also close a connection while a long request is answered, and it would
 * not close one that sends single bytes slowly.
 *
 * <p>HTTP/2 without TLS is disabled. A proxy that passes on the upgrade to it no longer sees the requests that follow, so a client could
 * set the headers that only the proxy may set. Also, Vert.x reports such a connection only after its first bytes.
 */
public final class TimedConnections extends VertxWrapper {
    private static final RequestTurns.Limits LIMITS = new RequestTurns.Limits(
            Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofSeconds(15));
    private static final int MAX_OPEN = 500;

    /** What is read at once, which limits the number of requests that are parsed early. */
    private static final int READ_BYTES = 2_048;

    /** What waits in the operating system for a client that does not read. By default it may be some megabytes. */
    private static final int SEND_BYTES = 128 * 1_024;

    /** After this time a server that is closed no longer waits until clients have read their answers. */
    private static final long LAST_ANSWERS_MILLIS = 1_000;

    private static final String LONGER = "longer";

    private final RequestTurns.Limits limits;
    private final int maxOpen;
    private final WorkerExecutor health = createSharedWorkerExecutor("health", 2);
    private final WorkerExecutor metrics = createSharedWorkerExecutor("metrics", 1);

    public TimedConnections() {
        this(LIMITS, MAX_OPEN);
    }

    /** @param maxOpen the number of connections of a server */
    TimedConnections(RequestTurns.Limits limits, int maxOpen) {
        super((VertxInternal) Vertx.vertx());
        this.limits = limits;
        this.maxOpen = maxOpen;
    }

    @Override
    public HttpServer createHttpServer(HttpServerOptions options) {
        Set<RequestTurns> open = ConcurrentHashMap.newKeySet();
        HttpServer server = new HttpServerImpl(this, options.setHttp2ClearTextEnabled(false)) {
            @Override
            public synchronized void close(Promise<Void> end) {
                super.close(end);
                setTimer(LAST_ANSWERS_MILLIS, late -> open.forEach(RequestTurns::closeNow));
            }
        };
        return server.connectionHandler(connection -> opened(connection, open));
    }

    /** A handler for metrics, which take longer than health and are answered on another thread. */
    public static void longer(RoutingContext request) {
        Vertx.currentContext().putLocal(LONGER, true);
        request.next();
    }

    /** Only Camel calls this variant, to answer health and metrics. They have threads of their own, which nothing else can block. */
    @Override
    @Deprecated // by Vert.x
    public <T> void executeBlocking(Handler<Promise<T>> task, boolean ordered, Handler<AsyncResult<T>> end) {
        (getOrCreateContext().getLocal(LONGER) == null ? health : metrics).executeBlocking(task, false, end);
    }

    private void opened(HttpConnection connection, Set<RequestTurns> open) {
        if (open.size() >= maxOpen) {
            open.stream().min(Comparator.comparingLong(RequestTurns::since)).ifPresent(RequestTurns::closeNow);
        }
        var channel = ((Http1xServerConnection) connection).channel();
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
        channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BYTES);
        var turns = new RequestTurns(limits);
        open.add(turns);
        channel.closeFuture().addListener(end -> open.remove(turns));
        channel.pipeline().addBefore("handler", "turns", turns);
    }
}
