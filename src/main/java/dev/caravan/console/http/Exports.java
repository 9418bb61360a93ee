package dev.caravan.console.http;

import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends whole lists. A part is read when the client has taken the previous ones, so that a slow client costs no thread, no connection to the
 * database, and the memory of one part. All exports take turns on one thread, so that they never delay other requests, and each role has places of
 * its own, so that slow readers do not take those of an administrator. A complete response
 * ends with an empty chunk. Of one that fails the connection is closed without it, so that the client sees that it is incomplete.
 */
final class Exports implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Exports.class);
    private static final int MOST = 4;

    private final Map<Role, Semaphore> free = new EnumMap<>(Role.class);
    private final ExecutorService thread = Workers.threads("http-export-", 1, Integer.MAX_VALUE);

    Exports() {
        for (Role role : Role.values()) {
            free.put(role, new Semaphore(MOST));
        }
    }

    /**
     * Begins to send an export. Called on the event loop.
     *
     * @param role that of the caller
     * @param operation for the log, without values of the request
     * @throws HttpProblem if it cannot begin
     */
    void send(RoutingContext context, Role role, Export export, String operation) {
        if (context.request().version() == HttpVersion.HTTP_1_0) {
            throw HttpProblem.wrong(
                    "An export needs HTTP/1.1: with HTTP/1.0 nobody could see that it is incomplete. If a"
                            + " proxy is between, set its protocol to 1.1 (nginx: proxy_http_version 1.1).");
        }
        Semaphore places = free.get(role);
        if (!places.tryAcquire()) {
            throw HttpProblem.later(
                    429, MOST + " exports of this role are running on this relay. Try again when one has ended.", 10);
        }
        Sending sending = new Sending(context, places, export, operation);
        context.addEndHandler(end -> sending.ended());
        context.response()
                .setChunked(true)
                .putHeader("Content-Type", export.contentType())
                .putHeader("Content-Disposition", "attachment; filename=\"" + export.fileName() + "\"");
        sending.write(Optional.of(export.first()));
    }

    /** The number of exports that have begun and not ended. */
    int running() {
        return free.values().stream()
                .mapToInt(places -> MOST - places.availablePermits())
                .sum();
    }

    /** One export. Its fields are used on the event loop of its connection only. */
    private final class Sending {
        private final RoutingContext context;
        private final Context loop;
        private final HttpServerResponse response;
        private final Semaphore places;
        private final Export export;
        private final String operation;
        private boolean ended;

        private Sending(RoutingContext context, Semaphore places, Export export, String operation) {
            this.context = context;
            this.loop = context.vertx().getOrCreateContext();
            this.response = context.response();
            this.places = places;
            this.export = export;
            this.operation = operation;
        }

        /** The response is complete, or the connection is closed. */
        private void ended() {
            if (!ended) {
                ended = true;
                places.release();
            }
        }

        private void write(Optional<String> part) {
            if (ended) {
                return;
            }
            if (part.isEmpty()) {
                response.end();
                return;
            }
            if (!part.get().isEmpty()) {
                response.write(part.get());
            }
            if (response.writeQueueFull()) {
                response.drainHandler(drained -> read()); // RequestTurns disconnects a client that takes nothing
            } else {
                read();
            }
        }

        private void read() {
            try {
                thread.execute(this::readPart);
            } catch (RejectedExecutionException e) {
                stop("the relay is stopping");
            }
        }

        private void readPart() {
            try {
                Optional<String> part = export.rest().call();
                loop.runOnContext(v -> write(part));
            } catch (Exception | Error e) { // otherwise the client would wait
                String why = HttpFailures.problem(e, operation).getMessage();
                loop.runOnContext(v -> stop(why));
            }
        }

        private void stop(String why) {
            if (!ended) {
                LOG.warn("{} was not exported completely, and its connection is closed: {}", operation, why);
                TimedConnections.closeNow(((ConnectionBase) context.request().connection()).channel());
            }
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
