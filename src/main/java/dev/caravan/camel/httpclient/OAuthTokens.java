package dev.caravan.camel.httpclient;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.FieldCopy;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.camel.component.http.CompositeHttpConfigurer;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.OAuth2ClientConfigurer;
import org.apache.camel.util.json.JsonObject;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpStatus;

/**
 * Logs in with tokens of OAuth. With {@code oauth2CacheTokens} each endpoint keeps its own. Camel keeps them for all endpoints, by the address of
 * the receiver and the client: a token for one scope would be sent where the route asks for another, and addresses that a route makes of messages
 * would fill the memory.
 */
final class OAuthTokens implements HttpClientConfigurer {
    /** Visible characters, as in any token. A longer one does not fit into the head of a request. */
    private static final Pattern TOKEN = Pattern.compile("[!-~]{1,16384}");

    private static final long LONGEST_SECONDS = TimeUnit.DAYS.toSeconds(1);
    private static final Method REQUEST = request();

    private final OAuth2ClientConfigurer options;
    /** Null if there is none. */
    private volatile Kept kept;

    private record Kept(String token, long untilNanos) {}

    private OAuthTokens(OAuth2ClientConfigurer options) {
        this.options = options;
    }

    private static Method request() {
        try {
            Method request = OAuth2ClientConfigurer.class.getDeclaredMethod("getAccessTokenResponse", HttpClient.class);
            request.setAccessible(true);
            return request;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("This version of Camel requests tokens in another way", e);
        }
    }

    /** The same configuration of a client, but with these tokens in place of those of Camel. */
    static HttpClientConfigurer in(HttpClientConfigurer all) {
        if (all instanceof OAuth2ClientConfigurer options) {
            return new OAuthTokens(options);
        }
        if (!(all instanceof CompositeHttpConfigurer)) {
            return all;
        }
        CompositeHttpConfigurer own = new CompositeHttpConfigurer();
        for (Object each : FieldCopy.value(CompositeHttpConfigurer.class, "configurers", all, List.class)) {
            own.addConfigurer(in((HttpClientConfigurer) each));
        }
        return own;
    }

    /** Requests a token before there is a connection: requests that hold all connections to a receiver would wait for one to the same host. */
    @Override
    public void configureHttpClient(HttpClientBuilder client) {
        HttpClient withoutLogin = client.build();
        client.addExecInterceptorBefore(ChainElement.CONNECT.name(), "token", (request, scope, chain) -> {
            String token = RunningRequest.of(scope.clientContext).logIn(() -> token(withoutLogin));
            request.setHeader(HttpHeaders.AUTHORIZATION, "Bearer " + token);
            ClassicHttpResponse answer = chain.proceed(request, scope);
            if (answer.getCode() == HttpStatus.SC_UNAUTHORIZED || answer.getCode() == HttpStatus.SC_FORBIDDEN) {
                refused(token);
            }
            return answer;
        });
    }

    private String token(HttpClient client) throws IOException, HttpException {
        Kept last = kept;
        return last != null && last.untilNanos - Clock.SYSTEM.nanos() > 0 ? last.token : requested(client);
    }

    private String requested(HttpClient client) throws IOException, HttpException {
        JsonObject answer = answer(client);
        String token = answer.getString("access_token");
        if (token == null || !TOKEN.matcher(token).matches()) {
            throw new HttpException("an answer without a usable access_token");
        }
        long seconds = seconds(answer.getString("expires_in"));
        if (option("cacheTokens", Boolean.class) && seconds > 0) {
            kept = new Kept(token, Clock.SYSTEM.nanos() + TimeUnit.SECONDS.toNanos(seconds));
        }
        return token;
    }

    private JsonObject answer(HttpClient client) throws IOException, HttpException {
        try {
            return (JsonObject) REQUEST.invoke(options, client);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new HttpException("an unusable answer"); // without a cause, which may quote a token
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // accessible
        }
    }

    /** How long a token is kept: a day at most, so that a wrong answer does not matter for ever. */
    private long seconds(String expiresIn) {
        long seconds = option("cachedTokensDefaultExpirySeconds", Long.class);
        if (expiresIn != null && !expiresIn.isEmpty()) {
            try {
                seconds = (long) Double.parseDouble(expiresIn);
            } catch (NumberFormatException e) {
                seconds = 0; // not kept
            }
        }
        return Math.min(seconds, LONGEST_SECONDS) - option("cachedTokensExpirationMarginSeconds", Long.class);
    }

    private <T> T option(String name, Class<T> type) {
        return FieldCopy.value(OAuth2ClientConfigurer.class, name, options, type);
    }

    /** Forgets a token, because it may be revoked: the next attempt requests a new one. */
    private void refused(String token) {
        Kept last = kept;
        if (last != null && last.token.equals(token)) {
            kept = null;
        }
    }
}
