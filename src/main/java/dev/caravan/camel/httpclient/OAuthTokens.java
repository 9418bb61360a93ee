package dev.caravan.camel.httpclient;

import dev.caravan.camel.step.FieldCopy;
import java.time.Instant;
import java.util.Map;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.OAuth2ClientConfigurer;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.protocol.HttpCoreContext;

/** The tokens of OAuth that Camel requests and, with {@code oauth2CacheTokens}, keeps for all endpoints. */
final class OAuthTokens {
    /** Camel keeps one for each address and removes none: addresses that a route makes of messages would fill the memory. */
    private static final int MOST = 1_000;

    private static final Map<?, ?> KEPT = FieldCopy.value(OAuth2ClientConfigurer.class, "tokenCache", null, Map.class);

    private OAuthTokens() {}

    /** Marks when a client logs in: each interceptor of requests runs before those that were added before it. */
    static void configure(HttpClientBuilder client, HttpClientConfigurer login) {
        client.addRequestInterceptorFirst((request, body, context) -> {
            requireToken(request);
            RunningRequest.of(context).logIn(false);
        });
        login.configureHttpClient(client);
        client.addRequestInterceptorFirst((request, body, context) -> {
            limit();
            RunningRequest.of(context).logIn(true);
        });
        client.addResponseInterceptorLast((answer, body, context) -> {
            if (answer.getCode() == HttpStatus.SC_UNAUTHORIZED) {
                refused(HttpCoreContext.cast(context).getRequest());
            }
        });
    }

    /** Camel sends the token {@code null} if the answer has none. */
    private static void requireToken(HttpRequest request) throws HttpException {
        Header login = request.getFirstHeader(HttpHeaders.AUTHORIZATION);
        if (login != null && login.getValue().equals("Bearer null")) {
            throw new HttpException("an answer without access_token");
        }
    }

    static void limit() {
        if (KEPT.size() > MOST) {
            KEPT.clear();
        }
    }

    /** Lets the token of a request expire, because it may be revoked: the next attempt requests a new one. */
    private static void refused(HttpRequest request) {
        Header login = request.getFirstHeader(HttpHeaders.AUTHORIZATION);
        for (Object kept : KEPT.values()) {
            String token = FieldCopy.value(kept.getClass(), "token", kept, String.class);
            if (login != null && login.getValue().equals("Bearer " + token)) {
                FieldCopy.set(kept.getClass(), "expirationTime", kept, Instant.EPOCH);
            }
        }
    }
}
