package dev.caravan.http;

import dev.caravan.clock.Clock;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks at every request first: who asks, from which page of a browser, and how often. What it refuses reaches no other
 * handler. Everything but health, metrics and the files of the console needs a token if one is set. Runs on the event loop.
 */
public final class Guard implements Handler<RoutingContext> {
    static final String ROLE = "role";

    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final int REQUESTS_PER_SECOND = 50;
    private static final int REQUESTS_BURST = 100;
    private static final String CONTENT_POLICY =
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final ManagementSettings settings;
    /** By role, so that a dashboard that only reads never keeps out who has to act. */
    private final Map<Role, TokenBucket> requests = Map.of(
            Role.OPERATOR, new TokenBucket(REQUESTS_PER_SECOND, REQUESTS_BURST, Clock.SYSTEM::nanos),
            Role.READER, new TokenBucket(REQUESTS_PER_SECOND, REQUESTS_BURST, Clock.SYSTEM::nanos));

    private final WrongTokens wrongTokens = new WrongTokens(Clock.SYSTEM::nanos);

    public Guard(ManagementSettings settings) {
        this.settings = settings;
    }

    @Override
    public void handle(RoutingContext context) {
        secure(context.response());
        HttpServerRequest request = context.request();
        String path = context.normalizedPath();
        if (!settings.needsToken()) {
            requireThisMachine(request);
        }
        if (!isOpen(path)) {
            context.response().putHeader("Cache-Control", "no-store");
            Role role = role(request);
            context.put(ROLE, role);
            requireRate(role);
            if (isChange(request)) {
                requireOwnPage(request);
                requireJson(request);
            }
        }
        context.next();
    }

    private static void secure(HttpServerResponse response) {
        response.putHeader("Content-Security-Policy", CONTENT_POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("X-Frame-Options", "DENY")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin");
    }

    private boolean isOpen(String path) {
        return path.equals("/")
                || isBelow(path, "/console")
                || settings.open().stream().anyMatch(open -> isBelow(path, open));
    }

    private static boolean isBelow(String path, String folder) {
        return path.equals(folder) || path.startsWith(folder + "/");
    }

    /** A page elsewhere whose name suddenly means this machine (DNS rebinding) still sends its own name. */
    private static void requireThisMachine(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority == null || !THIS_MACHINE.contains(authority.host())) {
            throw new HttpProblem(
                    403,
                    "Without caravan.management.token only requests to localhost are answered, whatever else leads here."
                            + " Ask http://localhost:" + request.localAddress().port() + ", or set the token.");
        }
    }

    /**
     * The token is compared before anything else: behind an ingress all requests come from one address, and whoever sends wrong
     * tokens from there must not keep out those who send a right one.
     */
    private Role role(HttpServerRequest request) {
        if (!settings.needsToken()) {
            return Role.OPERATOR;
        }
        String given = given(request);
        boolean operator = isSame(given, settings.token());
        boolean reader = isSame(given, settings.readToken());
        if (!operator && !reader) {
            throw refusal(request, given);
        }
        return operator ? Role.OPERATOR : Role.READER;
    }

    private static String given(HttpServerRequest request) {
        String header = Optional.ofNullable(request.getHeader("Authorization")).orElse("");
        return header.regionMatches(true, 0, "Bearer ", 0, 7)
                ? header.substring(7).strip()
                : "";
    }

    private HttpProblem refusal(HttpServerRequest request, String given) {
        if (!wrongTokens.take(request.remoteAddress().hostAddress())) {
            return HttpProblem.later(429, "Too many requests without a right token came from this address.", 1);
        }
        return new HttpProblem(
                401,
                given.isEmpty()
                        ? "Send the header Authorization: Bearer and the token in caravan.management.token."
                        : "The token is not the one in caravan.management.token or caravan.management.readToken.");
    }

    /** Takes as long for a wrong token, whatever is right of it. */
    private static boolean isSame(String given, Optional<String> token) {
        return MessageDigest.isEqual(digest(given), digest(token.orElse(""))) && token.isPresent();
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** After the token was looked at: who has none cannot use up what others may ask. */
    private void requireRate(Role role) {
        if (!requests.get(role).take()) {
            throw HttpProblem.later(
                    429,
                    "More than " + REQUESTS_PER_SECOND + " requests a second came to this relay with these rights.",
                    1);
        }
    }

    private static boolean isChange(HttpServerRequest request) {
        return request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD;
    }

    /** A page of another site must not change anything with the rights of who looks at it. */
    private static void requireOwnPage(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        boolean foreignSite = site != null && !site.equals("same-origin") && !site.equals("none");
        String host = Optional.ofNullable(request.getHeader("Host")).orElse(String.valueOf(request.authority()));
        boolean foreignOrigin = origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host);
        if (foreignSite || foreignOrigin) {
            throw new HttpProblem(403, "A page of another site asked for this change. Nothing was changed.");
        }
    }

    /** A form of another site cannot send this type without being asked first. */
    private static void requireJson(HttpServerRequest request) {
        String type = Optional.ofNullable(request.getHeader("Content-Type")).orElse("");
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new HttpProblem(
                    415, "Send the header Content-Type: application/json and a JSON object. Nothing was changed.");
        }
    }
}
