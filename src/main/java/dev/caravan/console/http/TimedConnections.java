package dev.caravan.console.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerImpl;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.impl.VertxWrapper;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A Vert.x instance whose HTTP servers stay usable whatever a client does: {@link RequestTurns} takes one request of a connection at a time
 * and closes a connection whose client is too slow, and of too many connections the one that has been unused for the longest time
 * is closed. Camel takes this instance from its registry for the management server. A server on another port, which a person has configured for own
 * routes, has no such limits: there a request may wait for hours, and many of them at once. But also its
 * end waits for no client.
 *
 * <p>The idle timeout of Vert.x is not used. It would also close a connection while a long request is answered, and it would
 * not close one that sends single bytes slowly.
 *
 * <p>HTTP/2 without TLS is disabled. A proxy that passes on the upgrade to it no longer sees the requests that follow, so a client could
 * set the headers that only the proxy may set. Also, Vert.x reports such a connection only after its first bytes.
 */
public final class TimedConnections extends VertxWrapper {
    /** The limit of an unused connection is longer than that of most proxies, 60 s: otherwise one could send a change when it has just ended. */
    private static final RequestTurns.Limits LIMITS = new RequestTurns.Limits(
            Duration.ofSeconds(10), Duration.ofSeconds(75), Duration.ofSeconds(10), Duration.ofSeconds(60));

    private static final int MAX_OPEN = 500;

    /** What is read at once, which limits the number of requests that are parsed early. */
    private static final int READ_BYTES = 2_048;

    /**
     * What waits in the operating system for a client that does not read. By default it may be some megabytes. Linux takes more of an answer when a
     * third of this is free: the more it is, the faster a client must read to be known as one that reads.
     */
    private static final int SEND_BYTES = 64 * 1_024;

    /** What clients have not read of their answers, of all connections together. It is not in the heap, but limited by the size of the heap. */
    private static final long MAX_UNREAD_BYTES = 32L << 20;

    /** After this time a server that is closed no longer waits until clients have read their answers. */
    private static final long LAST_ANSWERS_MILLIS = 1_000;

    private static final String LONGER = "longer";

    private final int port;
    private final BooleanSupplier admits;
    private final RequestTurns.Limits limits;
    private final int maxOpen;
    private final WorkerExecutor health = createSharedWorkerExecutor("health", 2);
    private final WorkerExecutor metrics = createSharedWorkerExecutor("metrics", 1);

    /**
     * @param port that of the management server
     * @param admits whether the handlers that check requests are there. Until then each is answered with 503: Camel listens before, and its own
     *     services would answer anybody
     */
    public TimedConnections(int port, BooleanSupplier admits) {
        this(port, admits, LIMITS, MAX_OPEN);
    }

    /** @param maxOpen the number of connections */
    TimedConnections(int port, BooleanSupplier admits, RequestTurns.Limits limits, int maxOpen) {
        super((VertxInternal) Vertx.vertx());
        this.port = port;
        this.admits = admits;
        this.limits = limits;
        this.maxOpen = maxOpen;
    }

    @Override
    public HttpServer createHttpServer(HttpServerOptions options) {
        Set<Channel> open = ConcurrentHashMap.newKeySet();
        return new HttpServerImpl(this, options.setHttp2ClearTextEnabled(false)) {
            @Override
            public synchronized Future<HttpServer> listen(SocketAddress address) {
                boolean limited = address.port() == port;
                connectionHandler(connection -> opened(((ConnectionBase) connection).channel(), limited, open));
                if (limited) {
                    requestHandler(admitted(requestHandler()));
                }
                return super.listen(address);
            }

            @Override
            public synchronized void close(Promise<Void> end) {
                super.close(end);
                setTimer(LAST_ANSWERS_MILLIS, late -> open.forEach(TimedConnections::closeNow));
            }
        };
    }

    private Handler<HttpServerRequest> admitted(Handler<HttpServerRequest> handler) {
        return request -> {
            if (admits.getAsBoolean()) {
                handler.handle(request);
            } else {
                request.response()
                        .setStatusCode(503)
                        .putHeader("Retry-After", "1")
                        .end("Starting. Try again in a second.\n");
            }
        };
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

    private void opened(Channel channel, boolean limited, Set<Channel> open) {
        if (limited) {
            limit(channel, open);
        }
        open.add(channel);
        channel.closeFuture().addListener(end -> open.remove(channel));
    }

    private void limit(Channel channel, Set<Channel> open) {
        if (open.size() >= maxOpen) {
            closeUnused(open, any -> true);
        }
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES));
        channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BYTES);
        channel.pipeline().addBefore("handler", "turns", new RequestTurns(limits, () -> answered(channel, open)));
    }

    /** Of too much that is unread, the answers that have waited for the longest time are given up. */
    private static void answered(Channel channel, Set<Channel> open) {
        boolean closed = true;
        while (closed && open.stream().mapToLong(TimedConnections::unread).sum() > MAX_UNREAD_BYTES) {
            closed = closeUnused(open, each -> each != channel && unread(each) > 0);
        }
    }

    private static long unread(Channel channel) {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Closes the connection that was unused for the longest time; returns false if there is none. */
    private static boolean closeUnused(Set<Channel> open, Predicate<Channel> which) {
        Optional<Channel> unused = open.stream().filter(which).min(Comparator.comparingLong(TimedConnections::since));
        unused.ifPresent(channel -> {
            open.remove(channel); // it is closed by its own thread
            closeNow(channel);
        });
        return unused.isPresent();
    }

    private static long since(Channel channel) {
        RequestTurns turns = channel.pipeline().get(RequestTurns.class);
        return turns == null ? Long.MAX_VALUE : turns.since(); // it has just been closed
    }

    /** Closes a connection at once. The close of Vert.x, which is the last handler, waits until the client has read everything. */
    static void closeNow(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null) {
            first.close();
        }
    }
}
