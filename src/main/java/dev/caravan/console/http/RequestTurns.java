package dev.caravan.console.http;

import dev.caravan.base.clock.Clock;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.net.HostAndPort;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The requests of a connection, one after the other: the next one is passed on when the operating system has taken the answer to the one
 * before. So a client that sends without reading answers has one answer in memory, and then is not read from. Closes a connection
 * whose client is too slow. Only the event loop of the connection uses it, except for {@link #since}.
 */
final class RequestTurns extends IdleStateHandler {
    /** Parts of requests that were received too early. With more, the connection is not read from. */
    private static final int MAX_EARLY = 16;

    /**
     * How long a client may take.
     *
     * @param firstHeader from the connect to the end of the first request header
     * @param nextHeader from an answer to the end of the next request header
     * @param rest from an answer that was sent early to the end of the body of its request
     * @param unread how long an answer may wait without the client reading any of it; the connection is closed at the latest after twice that
     */
    record Limits(Duration firstHeader, Duration nextHeader, Duration rest, Duration unread) {}

    private final Limits limits;
    private final Runnable written;
    private final Queue<Object> early = new ArrayDeque<>();
    private ChannelHandlerContext context;
    private boolean receiving;
    private boolean answering;
    private Future<?> timer;
    private volatile long since = Clock.SYSTEM.nanos();

    /** @param written called after an answer was written, which need not be sent yet */
    RequestTurns(Limits limits, Runnable written) {
        super(true, 0, limits.unread().toMillis(), 0, TimeUnit.MILLISECONDS);
        this.limits = limits;
        this.written = written;
    }

    /** When the last request began or was answered, in nanoseconds of the clock. */
    long since() {
        return since;
    }

    private void closeNow() {
        TimedConnections.closeNow(context.channel());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) throws Exception {
        super.handlerAdded(added);
        context = added;
        closeAfter(limits.firstHeader());
    }

    @Override
    public void channelRead(ChannelHandlerContext same, Object part) {
        if (early.isEmpty() && mayPass()) {
            pass(part);
        } else {
            early.add(part);
            if (early.size() > MAX_EARLY) {
                context.channel().config().setAutoRead(false);
            }
        }
    }

    private boolean mayPass() {
        return receiving || !answering;
    }

    private void pass(Object part) {
        if (part instanceof HttpRequest request) {
            if (request.decoderResult().isSuccess()) {
                check(request);
            }
            receiving = true;
            answering = true;
            since = Clock.SYSTEM.nanos();
            timer.cancel(false);
        }
        if (part instanceof LastHttpContent) {
            receiving = false;
            if (!answering) {
                closeAfter(limits.nextHeader());
            }
        }
        context.fireChannelRead(part);
    }

    /**
     * A request without a host or with two, which a proxy in front of the relay may understand in another way (RFC 9112, section 3.2), or with a
     * path that cannot be decoded is answered with 400, and the connection closed. Netty refuses a body whose length is not certain.
     */
    private static void check(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        try {
            boolean valid = hosts.isEmpty()
                    ? request.protocolVersion().equals(HttpVersion.HTTP_1_0)
                    : hosts.size() == 1 && HostAndPort.parseAuthority(hosts.get(0), -1) != null;
            new QueryStringDecoder(request.uri()).path();
            if (!valid) {
                throw new IllegalArgumentException("A request has one header Host");
            }
        } catch (IllegalArgumentException e) {
            request.setDecoderResult(DecoderResult.failure(e));
        }
    }

    @Override
    public void write(ChannelHandlerContext same, Object part, ChannelPromise promise) throws Exception {
        if (part instanceof LastHttpContent && !isInterim(part)) {
            ChannelPromise sent = promise.unvoid();
            sent.addListener(end -> context.executor().execute(this::answered)); // after the server has noticed it too
            super.write(same, part, sent);
            written.run();
        } else {
            super.write(same, part, promise);
        }
    }

    /** Whether this is the answer {@code 100 Continue}. */
    private static boolean isInterim(Object part) {
        return part instanceof HttpResponse answer && answer.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    private void answered() {
        if (context.channel().isActive()) {
            answering = false;
            since = Clock.SYSTEM.nanos();
            closeAfter(receiving ? limits.rest() : limits.nextHeader());
            while (!early.isEmpty() && mayPass()) {
                pass(early.poll());
            }
            context.fireChannelReadComplete(); // the server writes its answers then
            if (early.size() <= MAX_EARLY) {
                context.channel().config().setAutoRead(true);
            }
        }
    }

    private void closeAfter(Duration limit) {
        if (timer != null) {
            timer.cancel(false);
        }
        timer = context.executor().schedule(this::closeNow, limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Called when nothing was written for the time of the limit. The first call does not tell whether the client has read since then. */
    @Override
    protected void channelIdle(ChannelHandlerContext same, IdleStateEvent event) {
        ChannelOutboundBuffer unread = context.channel().unsafe().outboundBuffer();
        if (!event.isFirst() && unread != null && !unread.isEmpty()) {
            closeNow();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext same) throws Exception {
        timer.cancel(false);
        early.forEach(ReferenceCountUtil::release);
        early.clear();
        super.channelInactive(same);
    }
}
