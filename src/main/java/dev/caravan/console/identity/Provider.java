package dev.caravan.console.identity;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.lang.JoseException;

/**
 * The endpoints and keys of an OpenID provider, read from its issuer (OpenID Connect Discovery 1.0). They are fetched at the first sign-in
 * and then once an hour, so a relay starts even while the provider is unavailable. No method waits for the provider; the futures fail with
 * {@link SignInFailure}.
 */
final class Provider {
    private static final ObjectMapper JSON = StoredJson.requestMapper().build();
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration VALIDITY = Duration.ofHours(1);
    private static final List<String> ADDRESSES =
            List.of("authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint");
    private static final List<String> REQUIRED = ADDRESSES.subList(0, 3);

    /** Longer than the document and the keys of any provider. Without a limit, an answer fills the memory before its time ends. */
    private static final int MOST_BYTES = 1 << 20;

    /** How long the provider is not asked again after it could not be used. */
    static final Duration PAUSE = Duration.ofSeconds(5);

    private record Metadata(JsonNode document, List<JsonWebKey> keys) {
        String endpoint(String name) {
            return text(document, name);
        }

        boolean supports(String list, String value) {
            return StreamSupport.stream(document.path(list).spliterator(), false)
                    .anyMatch(each -> each.asText().equals(value));
        }
    }

    private final OpenIdSettings settings;
    private final IdTokens idTokens;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    /** Follows redirects, unlike the client that sends the secret. */
    private final HttpClient following = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();

    private final Shared<Metadata> metadata;

    Provider(OpenIdSettings settings, Clock clock) {
        this.settings = settings;
        idTokens = new IdTokens(settings, clock);
        metadata = new Shared<>(this::load, VALIDITY, PAUSE, clock::nanos);
    }

    /** The address to which a browser is redirected for the sign-in. */
    CompletableFuture<String> authorization(Map<String, String> more) {
        return metadata.get().thenApply(now -> {
            Map<String, String> parameters = new LinkedHashMap<>();
            parameters.put("response_type", "code");
            parameters.put("client_id", settings.client());
            parameters.put("redirect_uri", settings.callback());
            parameters.put(
                    "scope", "openid profile email" + (now.supports("scopes_supported", "groups") ? " groups" : ""));
            parameters.putAll(more);
            return with(now.endpoint("authorization_endpoint"), parameters);
        });
    }

    /** The address at which a browser ends the session at the provider; empty if the provider has none. */
    CompletableFuture<Optional<String>> endOfSession() {
        Map<String, String> parameters =
                Map.of("client_id", settings.client(), "post_logout_redirect_uri", settings.address() + "/console/");
        return metadata.get().thenApply(now -> Optional.ofNullable(
                        now.document().path("end_session_endpoint").textValue())
                .map(page -> with(page, parameters)));
    }

    /** Exchanges a code for the person in the ID token. Keys that the provider has added since are fetched. */
    CompletableFuture<Person> person(String code, String verifier, String nonce) {
        return metadata.get()
                .thenCompose(now -> idToken(now, code, verifier).thenCompose(token -> person(token, nonce, now)
                        .exceptionallyCompose(failure -> withNewKeys(token, nonce, failure))));
    }

    private CompletableFuture<Person> person(String token, String nonce, Metadata now) {
        return CompletableFuture.completedFuture(token).thenApply(given -> idTokens.person(given, nonce, now.keys()));
    }

    private CompletableFuture<Person> withNewKeys(String token, String nonce, Throwable failure) {
        if (Causes.first(IdTokens.UnknownKey.class, failure).isEmpty()) {
            return CompletableFuture.failedFuture(failure);
        }
        metadata.forget();
        return metadata.get().thenCompose(now -> person(token, nonce, now));
    }

    private CompletableFuture<String> idToken(Metadata now, String code, String verifier) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", settings.callback());
        form.put("code_verifier", verifier);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(now.endpoint("token_endpoint")))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
        authenticate(now, request, form);
        return answer(
                        client,
                        request.POST(HttpRequest.BodyPublishers.ofString(encoded(form)))
                                .build())
                .thenApply(response -> {
                    if (response.statusCode() != 200) {
                        throw new SignInFailure(refusal(response.statusCode()));
                    }
                    return Optional.ofNullable(json(response).path("id_token").textValue())
                            .orElseThrow(() -> new SignInFailure("The OpenID provider sent no ID token."));
                });
    }

    private void authenticate(Metadata now, HttpRequest.Builder request, Map<String, String> form) {
        String methods = "token_endpoint_auth_methods_supported";
        if (settings.secret().isEmpty()) {
            form.put("client_id", settings.client());
        } else if (!now.document().has(methods) || now.supports(methods, "client_secret_basic")) {
            String pair =
                    encoded(settings.client()) + ":" + encoded(settings.secret().get());
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII)));
        } else {
            form.put("client_id", settings.client());
            form.put("client_secret", settings.secret().get());
        }
    }

    private static String refusal(int status) {
        return switch (status) {
            case 400 ->
                "The OpenID provider did not accept the code (status 400). It may have been used already. Sign in"
                        + " again.";
            case 401 ->
                "The OpenID provider did not accept the relay (status 401). Its id or secret in caravan.people.client"
                        + " is wrong, or no longer valid.";
            default -> "The OpenID provider answered with status " + status + ". Try again.";
        };
    }

    private CompletableFuture<Metadata> load() {
        String issuer = settings.issuer();
        return document((issuer.endsWith("/") ? issuer : issuer + "/") + ".well-known/openid-configuration")
                .thenApply(Provider::json)
                .thenCompose(document -> {
                    if (!issuer.equals(document.path("issuer").asText())) {
                        throw new SignInFailure("The OpenID provider names another issuer than " + PeopleSettings.ISSUER
                                + ". Set it to the issuer that the provider names.");
                    }
                    REQUIRED.forEach(name -> text(document, name)); // a failure, which is not kept for long
                    ADDRESSES.forEach(name -> requireSecure(document, name));
                    return document(text(document, "jwks_uri"))
                            .thenApply(response -> new Metadata(document, keys(response)));
                });
    }

    /** Refuses an address to which codes and secrets would be sent unencrypted, or from which somebody else could answer. */
    private static void requireSecure(JsonNode document, String name) {
        String address = document.path(name).asText();
        boolean isSecure;
        try {
            isSecure = OpenIdSettings.isSecure(URI.create(address));
        } catch (IllegalArgumentException e) {
            isSecure = false;
        }
        if (document.hasNonNull(name) && !isSecure) {
            throw new SignInFailure("The OpenID provider names an address without TLS as " + name
                    + ". If it is behind a proxy that adds TLS, let it name the address of the proxy.");
        }
    }

    private CompletableFuture<HttpResponse<String>> document(String page) {
        return answer(following, HttpRequest.newBuilder(URI.create(page)).build())
                .thenApply(response -> {
                    if (response.statusCode() != 200) {
                        throw wrongAddress("answered with status " + response.statusCode() + " at " + page);
                    }
                    return response;
                });
    }

    private static JsonNode json(HttpResponse<String> response) {
        try {
            return JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw wrongAddress("did not answer with JSON at " + response.uri());
        }
    }

    private static List<JsonWebKey> keys(HttpResponse<String> response) {
        try {
            return new JsonWebKeySet(response.body()).getJsonWebKeys();
        } catch (JoseException e) {
            throw wrongAddress("did not answer with keys at " + response.uri());
        }
    }

    private static String text(JsonNode document, String name) {
        return Optional.ofNullable(document.path(name).textValue())
                .orElseThrow(() -> new SignInFailure("The OpenID provider names no " + name + "."));
    }

    private static SignInFailure wrongAddress(String what) {
        return new SignInFailure("The OpenID provider " + what + ". Check " + PeopleSettings.ISSUER + ".");
    }

    /** The answer, or a failure if it is not complete in time. */
    private CompletableFuture<HttpResponse<String>> answer(HttpClient by, HttpRequest request) {
        CompletableFuture<HttpResponse<String>> sent = by.sendAsync(
                request,
                head -> new Limited(HttpResponse.BodyHandlers.ofString().apply(head)));
        return sent.copy().orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).exceptionally(thrown -> {
            sent.cancel(true); // closes the connection
            throw new SignInFailure("The OpenID provider " + settings.issuer() + " does not answer ("
                    + Causes.root(thrown).getClass().getSimpleName()
                    + "). Try again, or use a token, which does not need the provider.");
        });
    }

    private static String with(String page, Map<String, String> parameters) {
        return page + (page.contains("?") ? "&" : "?") + encoded(parameters);
    }

    private static String encoded(Map<String, String> form) {
        return form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Reads the text of an answer, and closes the connection if it is too long. */
    private static final class Limited implements HttpResponse.BodySubscriber<String> {
        private final HttpResponse.BodySubscriber<String> text;
        private Flow.Subscription connection;
        private long bytes;

        private Limited(HttpResponse.BodySubscriber<String> text) {
            this.text = text;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            connection = subscription;
            text.onSubscribe(subscription);
        }

        @Override
        public void onNext(List<ByteBuffer> more) {
            bytes += more.stream().mapToLong(ByteBuffer::remaining).sum();
            if (bytes <= MOST_BYTES) {
                text.onNext(more);
            } else {
                connection.cancel();
                onError(new TooLong());
            }
        }

        @Override
        public void onError(Throwable failure) {
            text.onError(failure);
        }

        @Override
        public void onComplete() {
            text.onComplete();
        }

        @Override
        public CompletionStage<String> getBody() {
            return text.getBody();
        }
    }
}
