package dev.caravan.console.identity;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.EllipticCurveJsonWebKey;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.EllipticCurves;
import org.jose4j.lang.JoseException;

/** An OpenID provider with real signatures, which signs in whoever asks and can misbehave. */
final class TestProvider implements AutoCloseable {
    static final String CLIENT = "caravan";
    static final String SECRET = "secret of the client";
    static final int MIB = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Begun(String nonce, String challenge, String redirect) {}

    private final HttpServer server;
    private final Map<String, Begun> codes = new HashMap<>();
    private int numbered;
    private EllipticCurveJsonWebKey key = newKey();

    /** Changes the claims of the next token. */
    Consumer<JwtClaims> claims = unchanged -> {};
    /** The status with which requests for a token are refused; 0 for none. */
    volatile int refusal;
    /** Other addresses than those of this server; empty for none. */
    volatile Map<String, String> named = Map.of();

    volatile boolean acceptsTwice;
    /** Whether requests wait for {@link #release()}. */
    volatile boolean holds;

    /** The bytes of the long answer that somebody has received, about. */
    volatile long written;

    final Queue<HttpExchange> held = new ConcurrentLinkedQueue<>();
    /** Changes the signed token on its way. */
    UnaryOperator<String> forgery = UnaryOperator.identity();

    /** The settings of a relay with which people sign in at a provider. */
    static Map<String, String> settings(String issuer, String address, String roles) {
        return Map.of(
                "caravan.management.token",
                GuardedServer.TOKEN,
                "caravan.people.issuer",
                issuer,
                "caravan.people.client",
                CLIENT + ":" + SECRET,
                "caravan.people.address",
                address,
                "caravan.people.roles",
                roles);
    }

    TestProvider() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/realm/.well-known/openid-configuration", exchange -> {
            if (holds) {
                held.add(exchange);
            } else {
                json(exchange, 200, document());
            }
        });
        server.createContext(
                "/realm/keys",
                exchange -> json(
                        exchange,
                        200,
                        JSON.readValue(new JsonWebKeySet(key).toJson(OutputControlLevel.PUBLIC_ONLY), Map.class)));
        server.createContext("/realm/page", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("<html></html>".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.createContext("/realm/incomplete", exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
        });
        server.createContext("/realm/long", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            for (written = 0; written < 200 * MIB; written += MIB) {
                exchange.getResponseBody().write(new byte[MIB]);
            }
            exchange.close();
        });
        server.createContext("/realm/authorize", this::authorize);
        server.createContext("/realm/token", exchange -> {
            if (holds) {
                held.add(exchange);
            } else {
                token(exchange);
            }
        });
        server.start();
    }

    String issuer() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/realm";
    }

    private Map<String, Object> document() {
        Map<String, Object> document = new HashMap<>(Map.of(
                "issuer", issuer(),
                "authorization_endpoint", issuer() + "/authorize?realm=1",
                "token_endpoint", issuer() + "/token",
                "jwks_uri", issuer() + "/keys",
                "end_session_endpoint", issuer() + "/logout",
                "scopes_supported", List.of("openid", "groups")));
        document.putAll(named);
        document.values().removeIf(""::equals);
        return document;
    }

    /** Answers the requests for a token that wait. */
    void release() throws IOException {
        holds = false;
        for (HttpExchange exchange = held.poll(); exchange != null; exchange = held.poll()) {
            token(exchange);
        }
    }

    void rotateKey() {
        key = newKey();
    }

    EllipticCurveJsonWebKey key() {
        return key;
    }

    private EllipticCurveJsonWebKey newKey() {
        try {
            EllipticCurveJsonWebKey made = EcJwkGenerator.generateJwk(EllipticCurves.P256);
            made.setKeyId("key-" + ++numbered);
            return made;
        } catch (JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private void authorize(HttpExchange exchange) throws IOException {
        Map<String, String> query = form(exchange.getRequestURI().getRawQuery());
        if (!"code".equals(query.get("response_type"))
                || !CLIENT.equals(query.get("client_id"))
                || !"S256".equals(query.get("code_challenge_method"))
                || !"openid profile email groups".equals(query.get("scope"))) {
            json(exchange, 400, Map.of("error", "invalid_request"));
            return;
        }
        String code = "code-" + ++numbered;
        codes.put(code, new Begun(query.get("nonce"), query.get("code_challenge"), query.get("redirect_uri")));
        exchange.getResponseHeaders()
                .set("Location", query.get("redirect_uri") + "?code=" + code + "&state=" + query.get("state"));
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        if (refusal != 0) {
            json(exchange, refusal, Map.of("error", "refused"));
            return;
        }
        Map<String, String> form = form(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Begun begun = acceptsTwice ? codes.get(form.get("code")) : codes.remove(form.get("code"));
        String login = "Basic "
                + Base64.getEncoder()
                        .encodeToString((CLIENT + ":" + SECRET.replace(' ', '+')).getBytes(StandardCharsets.UTF_8));
        if (begun == null
                || !login.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                || !begun.redirect().equals(form.get("redirect_uri"))
                || !begun.challenge().equals(challenge(form.get("code_verifier")))) {
            json(exchange, 400, Map.of("error", "invalid_grant"));
            return;
        }
        json(exchange, 200, Map.of("token_type", "Bearer", "access_token", "x", "id_token", idToken(begun.nonce())));
    }

    private String idToken(String nonce) {
        JwtClaims token = new JwtClaims();
        token.setIssuer(issuer());
        token.setAudience(CLIENT);
        token.setSubject("4711");
        token.setIssuedAt(NumericDate.now());
        token.setExpirationTimeMinutesInTheFuture(5);
        token.setClaim("nonce", nonce);
        token.setClaim("preferred_username", "anna");
        token.setStringListClaim("groups", "staff", "support");
        claims.accept(token);
        return forgery.apply(signed(token.toJson(), key));
    }

    static String signed(String claims, EllipticCurveJsonWebKey key) {
        try {
            JsonWebSignature signature = new JsonWebSignature();
            signature.setPayload(claims);
            signature.setKey(key.getPrivateKey());
            signature.setKeyIdHeaderValue(key.getKeyId());
            signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256);
            return signature.getCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String challenge(String verifier) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<String, String> query(URI uri) {
        return form(uri.getRawQuery());
    }

    private static Map<String, String> form(String text) {
        Map<String, String> form = new HashMap<>();
        for (String field : text.split("&")) {
            String[] parts = field.split("=", 2);
            form.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return form;
    }

    private static void json(HttpExchange exchange, int status, Map<?, ?> fields) throws IOException {
        byte[] body = JSON.writeValueAsBytes(fields);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
