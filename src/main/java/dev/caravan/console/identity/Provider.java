package dev.caravan.console.identity;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.clock.Clock;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jose4j.http.Get;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
import org.jose4j.keys.resolvers.VerificationKeyResolver;

/**
 * The endpoints and keys of an OpenID provider, read from its issuer (OpenID Connect Discovery 1.0). They are fetched at the first sign-in
 * and then once an hour, so a relay starts even while the provider is unavailable. Methods block.
 */
final class Provider {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long VALID_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The metadata of the provider. */
    private record Found(JsonNode document, VerificationKeyResolver keys, long at) {
        String endpoint(String name) {
            return Optional.ofNullable(document.path(name).textValue())
                    .orElseThrow(() -> new SignInFailure("The OpenID provider names no " + name + "."));
        }

        boolean supports(String list, String value) {
            return Stream.of(document.path(list))
                    .flatMap(values -> Stream.iterate(0, i -> i < values.size(), i -> i + 1)
                            .map(i -> values.get(i).asText()))
                    .anyMatch(value::equals);
        }
    }

    private final OpenIdSettings settings;
    private final Clock clock;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private Found found;

    Provider(OpenIdSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The address to which a browser is redirected for the sign-in. */
    String authorization(Map<String, String> more) {
        Found now = found();
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("response_type", "code");
        parameters.put("client_id", settings.client());
        parameters.put("redirect_uri", settings.callback());
        parameters.put("scope", "openid profile email" + (now.supports("scopes_supported", "groups") ? " groups" : ""));
        parameters.putAll(more);
        return with(now.endpoint("authorization_endpoint"), parameters);
    }

    /** The address at which a browser ends the session at the provider; empty if the provider has none. */
    Optional<String> endOfSession() {
        return Optional.ofNullable(
                        found().document().path("end_session_endpoint").textValue())
                .map(page -> with(
                        page,
                        Map.of(
                                "client_id",
                                settings.client(),
                                "post_logout_redirect_uri",
                                settings.address() + "/console/")));
    }

    VerificationKeyResolver keys() {
        return found().keys();
    }

    /** Exchanges a code for an ID token. */
    String idToken(String code, String verifier) {
        Found now = found();
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", "authorization_code");
        form.put("code", code);
        form.put("redirect_uri", settings.callback());
        form.put("code_verifier", verifier);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(now.endpoint("token_endpoint")))
                .timeout(TIMEOUT)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
        authenticate(now, request, form);
        JsonNode answer = answered(
                request.POST(HttpRequest.BodyPublishers.ofString(encoded(form))).build());
        return Optional.ofNullable(answer.path("id_token").textValue())
                .orElseThrow(() -> new SignInFailure("The OpenID provider sent no ID token."));
    }

    private void authenticate(Found now, HttpRequest.Builder request, Map<String, String> form) {
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

    private JsonNode answered(HttpRequest request) {
        HttpResponse<String> response = response(client, request);
        if (response.statusCode() != 200) {
            throw new SignInFailure(refusal(response.statusCode()));
        }
        return json(response);
    }

    private HttpResponse<String> response(HttpClient by, HttpRequest request) {
        try {
            return by.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw unavailable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable(e);
        }
    }

    private static JsonNode json(HttpResponse<String> response) {
        try {
            return JSON.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw wrongAddress("did not answer with JSON at " + response.uri());
        }
    }

    private static SignInFailure wrongAddress(String what) {
        return new SignInFailure("The OpenID provider " + what + ". Check " + PeopleSettings.ISSUER + ".");
    }

    private static String refusal(int status) {
        return switch (status) {
            case 400 ->
                "The OpenID provider did not accept the code (status 400). It may have been used already. Sign in again.";
            case 401 ->
                "The OpenID provider did not accept the relay (status 401). Its id or secret in caravan.people.client is"
                        + " wrong, or no longer valid.";
            default -> "The OpenID provider answered with status " + status + ". Try again.";
        };
    }

    private synchronized Found found() {
        if (found == null || clock.nanos() - found.at() > VALID_NANOS) {
            found = find();
        }
        return found;
    }

    private Found find() {
        String issuer = settings.issuer();
        String page = (issuer.endsWith("/") ? issuer : issuer + "/") + ".well-known/openid-configuration";
        JsonNode document = document(URI.create(page));
        if (!issuer.equals(document.path("issuer").asText())) {
            throw new SignInFailure("The OpenID provider names another issuer than " + PeopleSettings.ISSUER
                    + ". Set it to the issuer that the provider names.");
        }
        HttpsJwks keys =
                new HttpsJwks(Optional.ofNullable(document.path("jwks_uri").textValue())
                        .orElseThrow(() -> new SignInFailure("The OpenID provider names no jwks_uri.")));
        Get get = new Get();
        get.setConnectTimeout((int) TIMEOUT.toMillis());
        get.setReadTimeout((int) TIMEOUT.toMillis());
        get.setRetries(1);
        keys.setSimpleHttpGet(get);
        return new Found(document, new HttpsJwksVerificationKeyResolver(keys), clock.nanos());
    }

    /** Follows redirects, unlike the client that sends the secret. */
    private JsonNode document(URI page) {
        HttpClient following = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpResponse<String> response = response(
                following, HttpRequest.newBuilder(page).timeout(TIMEOUT).build());
        if (response.statusCode() != 200) {
            throw wrongAddress("answered with status " + response.statusCode() + " at " + page);
        }
        return json(response);
    }

    private SignInFailure unavailable(Exception e) {
        return new SignInFailure("The OpenID provider " + settings.issuer() + " does not answer ("
                + e.getClass().getSimpleName() + "). Try again, or use a token, which does not need the provider.");
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
}
