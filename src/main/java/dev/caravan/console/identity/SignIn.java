package dev.caravan.console.identity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.Authentication;
import dev.caravan.console.http.Caller;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Rights;
import dev.caravan.operate.audit.Via;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sign-in with an OpenID provider: the code flow with PKCE, state and nonce. The session is a sealed cookie of the browser, which
 * every relay with the same token accepts.
 */
final class SignIn implements Authentication {
    static final String LOGIN = "/auth/login";
    static final String CALLBACK = "/auth/callback";
    static final String LOGOUT = "/auth/logout";
    /** A working day. After that, a new sign-in reads the groups again. */
    static final Duration SESSION = Duration.ofHours(8);

    private static final Duration LONGEST_SIGN_IN = Duration.ofMinutes(10);
    private static final String CONSOLE = "/console/";
    private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final OpenIdSettings settings;
    private final RoleRules roles;
    private final Provider provider;
    private final IdTokens idTokens;
    private final Sealed sessions;
    private final Sealed pending;

    SignIn(OpenIdSettings settings, RoleRules roles, Clock clock) {
        this.settings = settings;
        this.roles = roles;
        provider = new Provider(settings, clock);
        idTokens = new IdTokens(settings, clock);
        sessions = new Sealed(settings.cookieSecret(), "session", clock);
        pending = new Sealed(settings.cookieSecret(), "sign-in", clock);
    }

    @Override
    public Optional<String> signIn() {
        return Optional.of(LOGIN);
    }

    /** The person of the session; empty if the request has a token, which takes precedence. */
    @Override
    public Optional<Caller> caller(RoutingContext context) {
        if (context.request().headers().contains("Authorization")) {
            return Optional.empty();
        }
        return cookie(context, sessionCookie()).flatMap(sessions::open).map(session -> {
            String name = session.path("name").asText();
            List<String> groups = StreamSupport.stream(session.path("groups").spliterator(), false)
                    .map(group -> group.asText())
                    .toList();
            return new Caller(Optional.of(name), rights(new Person(name, groups)), Via.OPENID);
        });
    }

    private Rights rights(Person person) {
        return roles.rights(person.name(), person.groups())
                .orElseThrow(() -> new HttpProblem(403, PeopleSettings.withoutRole(person.name())));
    }

    /** Answers the pages below {@code /auth}. Calls the provider on a worker thread. */
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

    /** Calls the provider on a worker thread, and responds on the event loop. */
    private static <T> void ask(RoutingContext context, Callable<T> question, Consumer<T> answer) {
        context.vertx()
                .executeBlocking(question, false)
                .map(found -> {
                    answer.accept(found);
                    return found;
                })
                .onFailure(thrown -> refuse(context, thrown)); // even if the answer cannot be sent
    }

    private static void refuse(RoutingContext context, Throwable thrown) {
        if (thrown instanceof SignInFailure) {
            LOG.warn("A person could not sign in: {}", thrown.getMessage());
            show(context, thrown.getMessage());
        } else {
            context.fail(thrown);
        }
    }

    /** Answers with a page, because the browser has left the console. */
    private static void show(RoutingContext context, String problem) {
        String escaped = problem.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        context.response()
                .setStatusCode(403)
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
        ask(context, () -> provider.authorization(parameters), there -> {
            // Lax, because the provider sends the browser back from another site
            set(context, beginCookie(), pending.seal(begun, LONGEST_SIGN_IN), CookieSameSite.LAX, LONGEST_SIGN_IN);
            redirect(context, there);
        });
    }

    private void complete(RoutingContext context) {
        ObjectNode begun = cookie(context, beginCookie())
                .flatMap(pending::open)
                .orElseThrow(() ->
                        new SignInFailure("This sign-in was not started in this browser, was used before, or took more"
                                + " than " + LONGEST_SIGN_IN.toMinutes() + " minutes. Sign in again."));
        remove(context, beginCookie());
        requireSameState(context, begun.path("state").asText());
        String code = Optional.ofNullable(context.request().getParam("code"))
                .orElseThrow(() -> new SignInFailure("The OpenID provider did not sign the person in: "
                        + plain(context.request().getParam("error")) + "."));
        ask(
                context,
                () -> idTokens.person(
                        provider.idToken(code, begun.path("verifier").asText()),
                        begun.path("nonce").asText(),
                        provider.keys()),
                person -> signedIn(context, person, begun.path("to").asText()));
    }

    private void signedIn(RoutingContext context, Person person, String to) {
        Optional<Rights> rights = roles.rights(person.name(), person.groups());
        if (rights.isEmpty()) {
            LOG.warn("A person who has no role could not sign in");
            show(context, PeopleSettings.withoutRole(person.name()));
            return;
        }
        ObjectNode session = JsonNodeFactory.instance.objectNode().put("name", person.name());
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

    /** Ends the session in this browser. The response names the page that ends it at the provider. */
    private void end(RoutingContext context) {
        remove(context, sessionCookie());
        ask(context, this::pageAfterwards, next -> context.response()
                .putHeader("Content-Type", "application/json")
                .end(new JsonObject().put("next", next).encode()));
    }

    private String pageAfterwards() {
        try {
            return provider.endOfSession().orElse(CONSOLE);
        } catch (SignInFailure e) {
            return CONSOLE; // the provider is unavailable; the session of the console has ended
        }
    }

    /** Accepts pages of the console only, so that a link cannot redirect people to another site after the sign-in. */
    private static String ownPage(String wanted) {
        return wanted != null && wanted.matches("/console/[A-Za-z0-9/_.~%?&=+:,*-]*") ? wanted : CONSOLE;
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
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return encoded(bytes);
    }

    private static String challenge(String verifier) {
        try {
            return encoded(MessageDigest.getInstance("SHA-256").digest(bytes(verifier)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every Java runtime provides it
        }
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
