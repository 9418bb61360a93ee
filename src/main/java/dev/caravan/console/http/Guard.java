package dev.caravan.console.http;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.operate.audit.Via;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The first handler of every request: checks token, origin and rate. A refused request reaches no other handler. Health,
 * metrics and the console files need no token; everything else does if a token is set. Called on the event loop.
 */
public final class Guard implements Handler<RoutingContext> {
    static final String CALLER = "caller";
    /** Pages where people sign in and out. */
    static final String SIGN_IN = "/auth";

    private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final int REQUESTS_PER_SECOND = 50;
    private static final int BURST = 100;
    private static final String CONTENT_POLICY =
            "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private final ManagementSettings settings;
    private final Authentication people;
    /** Separate limits for each role, so that a dashboard that reads cannot block an operator. */
    private final Map<Role, TokenBucket> requests = new EnumMap<>(Role.class);

    private final WrongTokens wrongTokens = new WrongTokens(Clock.SYSTEM::nanos);

    public Guard(ManagementSettings settings, Authentication people) {
        this.settings = settings;
        this.people = people;
        for (Role role : Role.values()) {
            requests.put(role, new TokenBucket(REQUESTS_PER_SECOND, BURST, Clock.SYSTEM::nanos));
        }
    }

    @Override
    public void handle(RoutingContext context) {
        secure(context.response());
        HttpServerRequest request = context.request();
        String path = context.normalizedPath();
        if (!settings.needsToken()) {
            requireLocalHost(request);
        }
        if (!isOpen(path)) {
            context.response().putHeader("Cache-Control", "no-store");
            admit(context);
            return;
        }
        if (isBelow(path, SIGN_IN)) {
            context.response().putHeader("Cache-Control", "no-store");
            requireOwnChange(request);
        }
        context.next();
    }

    /** Continues when the caller is known. Until then the request is paused, so that no part of its body is lost. */
    private void admit(RoutingContext context) {
        HttpServerRequest request = context.request();
        Future<Caller> caller = caller(context).map(known -> {
            requireNoDelivery(request, known);
            context.put(CALLER, known);
            requireRate(known.rights().highest());
            requireAdministrator(known, context.normalizedPath());
            requireOwnChange(request);
            return known;
        });
        if (!caller.isComplete()) {
            request.pause();
            caller.onComplete(any -> request.resume());
        }
        caller.onSuccess(any -> context.next()).onFailure(context::fail);
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
                || isBelow(path, SIGN_IN)
                || settings.open().stream().anyMatch(open -> isBelow(path, open));
    }

    private static boolean isBelow(String path, String folder) {
        return path.equals(folder) || path.startsWith(folder + "/");
    }

    /** Prevents DNS rebinding: a foreign page whose host name resolves to this machine sends that name, not localhost. */
    private static void requireLocalHost(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority == null || !LOCAL_HOSTS.contains(authority.host())) {
            throw new HttpProblem(
                    403,
                    "Without caravan.management.token only requests to localhost are allowed."
                            + " Use http://localhost:" + request.localAddress().port() + ", or set the token.");
        }
    }

    private Future<Caller> caller(RoutingContext context) {
        return settings.needsToken()
                ? people.caller(context).map(person -> person.orElseGet(() -> Caller.token(rights(context.request()))))
                : Future.succeededFuture(Caller.LOCAL);
    }

    /**
     * Compares the token before the limit on wrong tokens is checked. Behind an ingress all requests come from one address, and
     * wrong tokens from there must not block correct ones.
     */
    private Rights rights(HttpServerRequest request) {
        String given = givenToken(request);
        Optional<Rights> all = rights(given, settings.token(), Role.ADMIN);
        Optional<Rights> reading = rights(given, settings.readToken(), Role.READ);
        return all.or(() -> reading).orElseThrow(() -> refusal(request, given));
    }

    private static String givenToken(HttpServerRequest request) {
        String header = Optional.ofNullable(request.getHeader("Authorization")).orElse("");
        return header.regionMatches(true, 0, "Bearer ", 0, 7)
                ? header.substring(7).strip()
                : "";
    }

    /** A request without a token guesses none, so it is always told where to sign in. */
    private HttpProblem refusal(HttpServerRequest request, String given) {
        if (!given.isEmpty() && !wrongTokens.take(request.remoteAddress().hostAddress())) {
            return HttpProblem.later(429, "Too many wrong tokens from this address.", 1);
        }
        return HttpProblem.unknownCaller(
                given.isEmpty()
                        ? "Send the header Authorization: Bearer TOKEN with the token in caravan.management.token."
                        : "The token is not the one in caravan.management.token or caravan.management.readToken.",
                people.signIn());
    }

    /** Compares in constant time, so that the duration does not reveal a matching prefix. */
    private static Optional<Rights> rights(String given, Optional<Token> token, Role role) {
        String secret = token.map(Token::secret).orElse("");
        return MessageDigest.isEqual(digest(given), digest(secret))
                ? token.map(same -> Rights.of(role, same.outboxes()))
                : Optional.empty();
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java runtime provides SHA-256
        }
    }

    /**
     * A message that a relay sends to this port, from the address of a trusted proxy or of this machine, gains no rights by its headers or by
     * where it comes from.
     */
    private static void requireNoDelivery(HttpServerRequest request, Caller caller) {
        if (caller.via() != Via.TOKEN && request.headers().contains(OutboxConstants.OUTBOX_ID)) {
            throw new HttpProblem(
                    403,
                    "The header " + OutboxConstants.OUTBOX_ID
                            + " shows that this is the delivery of a message, which needs a"
                            + " token. Nothing was changed.");
        }
    }

    /** A service of Camel that a person has enabled shows settings, sends to any address, or replaces route files. */
    private void requireAdministrator(Caller caller, String path) {
        if (settings.services().stream().anyMatch(service -> isBelow(path, service))) {
            caller.require(Role.ADMIN, settings.outbox());
        }
    }

    /** Called after the token was checked, so that requests without a token do not use up the limit. */
    private void requireRate(Role role) {
        if (!requests.get(role).take()) {
            throw HttpProblem.later(
                    429, "More than " + REQUESTS_PER_SECOND + " requests per second with this role.", 1);
        }
    }

    private static void requireOwnChange(HttpServerRequest request) {
        if (isChange(request)) {
            requireSameOrigin(request);
            requireJson(request);
        }
    }

    private static boolean isChange(HttpServerRequest request) {
        return request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD;
    }

    /** Prevents cross-site request forgery: a page of another site must not use the rights of its visitor. */
    private static void requireSameOrigin(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        boolean foreignSite = site != null && !site.equals("same-origin") && !site.equals("none");
        String host = Optional.ofNullable(request.getHeader("Host")).orElse(String.valueOf(request.authority()));
        boolean foreignOrigin = origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host);
        if (foreignSite || foreignOrigin) {
            throw new HttpProblem(403, "This change was requested by a page of another site. Nothing was changed.");
        }
    }

    /** A page of another site cannot send this type without a CORS preflight request. */
    private static void requireJson(HttpServerRequest request) {
        String type = Optional.ofNullable(request.getHeader("Content-Type")).orElse("");
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new HttpProblem(
                    415, "Send the header Content-Type: application/json and a JSON object. Nothing was changed.");
        }
    }
}
