package dev.caravan.console.identity;

import static java.util.regex.Pattern.CASE_INSENSITIVE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.Authentication;
import dev.caravan.console.http.Caller;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Rights;
import dev.caravan.operate.audit.Via;
import io.vertx.core.Future;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jose4j.base64url.Base64Url;
import org.jose4j.lang.ByteUtil;
import org.jose4j.lang.HashUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sign-in with an OpenID provider: the code flow with PKCE, state and nonce. The session is a sealed cookie of the browser, which
 * every relay with the same secrets accepts.
 */
final class SignIn implements Authentication {
    static final String LOGIN = "/auth/login";
    static final String CALLBACK = "/auth/callback";
    static final String LOGOUT = "/auth/logout";
    /** A working day. After that, a new sign-in reads the groups again. */
    static final Duration SESSION = Duration.ofHours(8);

    private static final Duration LONGEST_SIGN_IN = Duration.ofMinutes(10);
    private static final String NOT_BEGUN =
            "This sign-in was not started in this browser, was used before, or took more than "
                    + LONGEST_SIGN_IN.toMinutes() + " minutes. Sign in again.";
    private static final String CONSOLE = "/console/";
    /** Without a segment of dots, however it is written: two would leave the console. */
    private static final Pattern OWN_PAGE = Pattern.compile(
            "/console(?![^?]*(?:/|%(?:25)*(?:2f|5c))(?:\\.|%(?:25)*2e){1,2}(?:[/?]|%(?:25)*(?:2f|5c)|$))"
                    + "/[a-z0-9/_.~%?&=+:,*-]*",
            CASE_INSENSITIVE);

    private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);

    /** A browser needs one at a time. Behind a proxy, all browsers have its address. */
    static final int EXCHANGES_PER_ADDRESS = 50;

    private static final long QUIET_NANOS = 10_000_000_000L;

    private final OpenIdSettings settings;
    private final Clock clock;
    private final RoleRules roles;
    private final EndedSessions ended;
    private final Provider provider;
    private final Sealed sessions;
    private final Sealed pending;
    /** How many codes of each address are being exchanged. Nothing else of a sign-in costs more than a file of the console. */
    private final Map<String, Integer> exchanges = new ConcurrentHashMap<>();

    private long failures;
    private long quietUntil;

    SignIn(OpenIdSettings settings, RoleRules roles, EndedSessions ended, Clock clock) {
        this.settings = settings;
        this.roles = roles;
        this.ended = ended;
        this.clock = clock;
        quietUntil = clock.nanos();
        provider = new Provider(settings, clock);
        // a relay at another address may have another database, in which the ended sessions are not stored
        String purpose = "session of " + settings.issuer() + " at " + settings.address();
        sessions = new Sealed(settings.cookieSecret(), purpose, clock);
        pending = new Sealed(settings.cookieSecret(), "sign-in", clock);
    }

    @Override
    public Optional<String> signIn() {
        return Optional.of(LOGIN);
    }

    /** The person of the session; empty if the request has a token, which takes precedence. */
    @Override
    public Future<Optional<Caller>> caller(RoutingContext context) {
        Optional<Session> session =
                context.request().headers().contains("Authorization") ? Optional.empty() : session(context);
        return session.map(open -> onLoop(context, ended.contains(open.id()))
                        .map(hasEnded -> hasEnded
                                ? Optional.<Caller>empty()
                                : Optional.of(new Caller(
                                        Optional.of(open.person().name()), rights(open.person()), Via.OPENID))))
                .orElse(Future.succeededFuture(Optional.empty()));
    }

    private Rights rights(Person person) {
        return roles.rights(person.name(), person.groups())
                .orElseThrow(() -> new HttpProblem(403, PeopleSettings.withoutRole(person.name())));
    }

    private record Session(UUID id, Instant end, Person person) {}

    private Optional<Session> session(RoutingContext context) {
        return cookie(context, sessionCookie())
                .flatMap(sessions::open)
                .map(fields -> new Session(
                        UUID.fromString(fields.path("id").asText()),
                        Sealed.end(fields),
                        new Person(
                                fields.path("name").asText(),
                                StreamSupport.stream(fields.path("groups").spliterator(), false)
                                        .map(JsonNode::asText)
                                        .toList())));
    }

    /** Answers the pages below {@code /auth}. No thread waits for the provider. */
    @Override
    public void page(RoutingContext context) {
        String path = context.normalizedPath();
        HttpMethod method = context.request().method();
        try {
            if (path.equals(LOGIN) && method == HttpMethod.GET) {
                begin(context);
            } else if (path.equals(CALLBACK) && method == HttpMethod.GET) {
                complete(context);
            } else if (path.equals(LOGOUT) && method == HttpMethod.POST) {
                end(context);
            } else {
                throw HttpProblem.missing("Not found. See " + CONSOLE);
            }
        } catch (SignInFailure e) {
            refuse(context, e);
        }
    }

    private <T> void answer(RoutingContext context, CompletableFuture<T> question, Consumer<T> answer) {
        onLoop(context, question)
                .map(found -> {
                    answer.accept(found);
                    return found;
                })
                .onFailure(thrown -> refuse(context, thrown)); // even if the answer cannot be sent
    }

    /** The same future on the event loop of the request, with the exception that was thrown. */
    private static <T> Future<T> onLoop(RoutingContext context, CompletableFuture<T> future) {
        return Future.fromCompletionStage(future, context.vertx().getOrCreateContext())
                .recover(thrown ->
                        Future.failedFuture(thrown instanceof CompletionException ? thrown.getCause() : thrown));
    }

    private void refuse(RoutingContext context, Throwable thrown) {
        if (thrown instanceof SignInFailure) {
            log(thrown.getMessage());
            show(context, 403, thrown.getMessage());
        } else {
            context.fail(thrown);
        }
    }

    /** Logs a warning at most every 10 s, because a failure needs no account. */
    private synchronized void log(String failure) {
        LOG.debug("A person could not sign in: {}", failure);
        failures++;
        long now = clock.nanos();
        if (now - quietUntil >= 0) {
            LOG.warn("A person could not sign in: {} Failures since the last warning: {}", failure, failures);
            failures = 0;
            quietUntil = now + QUIET_NANOS;
        }
    }

    /** Answers with a page, because the browser has left the console. */
    private static void show(RoutingContext context, int status, String problem) {
        String escaped = problem.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        context.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/html; charset=utf-8")
                .end("<!doctype html><html lang=\"en\"><title>Could not sign in</title><h1>Could not sign in</h1><p>"
                        + escaped + "</p><p><a href=\"" + CONSOLE + "\">Back to the console</a></p></html>");
    }

    private void begin(RoutingContext context) {
        String state = random();
        String nonce = random();
        String verifier = random();
        ObjectNode begun = JsonNodeFactory.instance.objectNode();
        begun.put("state", state).put("nonce", nonce).put("verifier", verifier);
        begun.put("to", ownPage(context.request().getParam("to")));
        Map<String, String> parameters = Map.of(
                "state", state, "nonce", nonce, "code_challenge", challenge(verifier), "code_challenge_method", "S256");
        answer(context, provider.authorization(parameters), there -> {
            // Lax, because the provider sends the browser back from another site
            set(context, beginCookie(), pending.seal(begun, LONGEST_SIGN_IN), CookieSameSite.LAX, LONGEST_SIGN_IN);
            redirect(context, there);
        });
    }

    private void complete(RoutingContext context) {
        ObjectNode begun =
                cookie(context, beginCookie()).flatMap(pending::open).orElseThrow(() -> new SignInFailure(NOT_BEGUN));
        requireSameState(context, begun.path("state").asText());
        String code = Optional.ofNullable(context.request().getParam("code"))
                .orElseThrow(() -> new SignInFailure("The OpenID provider did not sign the person in: "
                        + plain(context.request().getParam("error")) + "."));
        String address = String.valueOf(context.request().remoteAddress().hostAddress());
        if (exchanges.merge(address, 1, Integer::sum) > EXCHANGES_PER_ADDRESS) {
            leave(address);
            show(context, 429, "Too many people from this address sign in at once. Load this page again.");
            return;
        }
        remove(context, beginCookie());
        answer(
                context,
                provider.person(
                                code,
                                begun.path("verifier").asText(),
                                begun.path("nonce").asText())
                        .whenComplete((person, failure) -> leave(address))
                        .thenCompose(person -> once(begun).thenApply(any -> person)),
                person -> signedIn(context, person, begun.path("to").asText()));
    }

    /** Fails for the second time. A provider may accept a code twice. */
    private CompletableFuture<Void> once(ObjectNode begun) {
        UUID id = UUID.nameUUIDFromBytes(bytes(begun.path("state").asText()));
        return ended.addFirst(id, Sealed.end(begun)).thenAccept(isFirst -> {
            if (!isFirst) {
                throw new SignInFailure(NOT_BEGUN);
            }
        });
    }

    private void leave(String address) {
        exchanges.computeIfPresent(address, (any, count) -> count == 1 ? null : count - 1);
    }

    private void signedIn(RoutingContext context, Person person, String to) {
        Optional<Rights> rights = roles.rights(person.name(), person.groups());
        if (rights.isEmpty()) {
            LOG.warn("A person who has no role could not sign in");
            show(context, 403, PeopleSettings.withoutRole(person.name()));
            return;
        }
        ObjectNode session = JsonNodeFactory.instance
                .objectNode()
                .put("id", UUID.randomUUID().toString())
                .put("name", person.name());
        roles.named(person.groups()).forEach(session.putArray("groups")::add);
        set(context, sessionCookie(), sessions.seal(session, SESSION), CookieSameSite.STRICT, SESSION);
        LOG.info("A person signed in with the role {}", rights.get().highest());
        redirect(context, to);
    }

    private void requireSameState(RoutingContext context, String state) {
        String given = Optional.ofNullable(context.request().getParam("state")).orElse("");
        if (!MessageDigest.isEqual(bytes(given), bytes(state))) {
            throw new SignInFailure("The answer of the OpenID provider belongs to another sign-in. Sign in again.");
        }
        String issuer = context.request().getParam("iss");
        if (issuer != null && !issuer.equals(settings.issuer())) {
            throw new SignInFailure("The answer comes from another OpenID provider. Sign in again.");
        }
    }

    /** Ends the session for all relays, so that no copy of the cookie is accepted. The response names the page that ends it at the provider. */
    private void end(RoutingContext context) {
        CompletableFuture<Void> stored = session(context)
                .map(session -> ended.add(session.id(), session.end()))
                .orElse(CompletableFuture.completedFuture(null))
                .exceptionally(thrown -> {
                    throw HttpProblem.later(
                            503,
                            HttpFailures.problem(thrown, "a sign-out").getMessage()
                                    + " You are still signed in. Sign out again later.",
                            2);
                });
        answer(context, stored.thenCompose(any -> pageAfterwards()), next -> {
            remove(context, sessionCookie());
            context.response()
                    .putHeader("Content-Type", "application/json")
                    .end(new JsonObject().put("next", next).encode());
        });
    }

    /** The console if the provider has no page or does not answer soon. */
    private CompletableFuture<String> pageAfterwards() {
        return provider.endOfSession()
                .exceptionally(thrown -> Optional.empty())
                .completeOnTimeout(Optional.empty(), 3, TimeUnit.SECONDS)
                .thenApply(page -> page.orElse(CONSOLE));
    }

    /** Accepts pages of the console only, so that a link cannot redirect people to another site after the sign-in. */
    private static String ownPage(String wanted) {
        return wanted != null && OWN_PAGE.matcher(wanted).matches() ? wanted : CONSOLE;
    }

    private static String plain(String error) {
        return error == null ? "it sent no code" : error.replaceAll("[^A-Za-z0-9_. -]", "?");
    }

    private String sessionCookie() {
        return settings.isSecure() ? "__Host-caravan" : "caravan";
    }

    private String beginCookie() {
        return settings.isSecure() ? "__Host-caravan-sign-in" : "caravan-sign-in";
    }

    private static Optional<String> cookie(RoutingContext context, String name) {
        return Optional.ofNullable(context.request().getCookie(name)).map(Cookie::getValue);
    }

    private void set(RoutingContext context, String name, String value, CookieSameSite site, Duration validity) {
        context.response()
                .addCookie(Cookie.cookie(name, value)
                        .setPath("/")
                        .setHttpOnly(true)
                        .setSecure(settings.isSecure())
                        .setSameSite(site)
                        .setMaxAge(validity.toSeconds()));
    }

    private void remove(RoutingContext context, String name) {
        set(context, name, "", CookieSameSite.LAX, Duration.ZERO);
    }

    private static void redirect(RoutingContext context, String to) {
        context.response().setStatusCode(302).putHeader("Location", to).end();
    }

    private static String random() {
        return Base64Url.encode(ByteUtil.randomBytes(32));
    }

    private static String challenge(String verifier) {
        return Base64Url.encode(HashUtil.getMessageDigest(HashUtil.SHA_256).digest(bytes(verifier)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
