package dev.caravan.console.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Limits the memory of the bodies of requests that are not answered yet, also of those that are still being received. A body counts with the
 * length that its request declares, or else as the longest one. Each role has a part of its own, so that one caller does not keep others from
 * changes. Called on the event loops.
 */
public final class BodyMemory implements Handler<RoutingContext> {
    /** For each role that may make changes. */
    private static final int MOST_BYTES = 16 << 20;

    private final int longest;
    private final Map<Role, Semaphore> free = new EnumMap<>(Role.class);

    /** @param longest the number of bytes of the longest body, which is checked elsewhere */
    public BodyMemory(int longest) {
        this.longest = longest;
        for (Role role : Role.values()) {
            free.put(role, new Semaphore(MOST_BYTES));
        }
    }

    @Override
    public void handle(RoutingContext context) {
        Semaphore bytes = free.get(context.<Caller>get(Guard.CALLER).rights().highest());
        int length = length(context.request());
        if (!bytes.tryAcquire(length)) {
            throw HttpProblem.later(
                    429, "The bodies of other requests with this role are too large together. Nothing was changed.", 1);
        }
        context.addEndHandler(end -> bytes.release(length));
        context.next();
    }

    private int length(HttpServerRequest request) {
        String declared = request.getHeader("Content-Length");
        return declared != null && declared.matches("\\d{1,7}")
                ? Math.min(Integer.parseInt(declared), longest)
                : longest;
    }
}
