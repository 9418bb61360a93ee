package org.apache.kafka.common.security.oauthbearer.internals.secured;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.step.FieldCopy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;

/**
 * Kafka's login with tokens of OAuth, which reads a limited answer of the server of the tokens, in a limited time. Kafka reads an answer to its
 * end, and all logins of the process wait for one another. It stands in Kafka's package, because only there its request can be made.
 */
public final class LimitedTokens extends OAuthBearerLoginCallbackHandler {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_MILLIS = 10_000;
    private static final int LONGEST_REASON = 200;

    @Override
    public void configure(Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> login) {
        super.configure(settings, mechanism, login);
        Class<?> type = OAuthBearerLoginCallbackHandler.class;
        String field = "accessTokenRetriever";
        if (FieldCopy.value(type, field, this, AccessTokenRetriever.class) instanceof HttpAccessTokenRetriever http) {
            FieldCopy.set(type, field, this, new Limited(http));
        }
    }

    /** Sends the request of Kafka's client. */
    private static final class Limited implements AccessTokenRetriever {
        private final HttpAccessTokenRetriever options;

        private Limited(HttpAccessTokenRetriever options) {
            this.options = options;
        }

        private <T> T option(String name, Class<T> type) {
            return FieldCopy.value(HttpAccessTokenRetriever.class, name, options, type);
        }

        @Override
        public String retrieve() throws IOException {
            Retry<String> retry = new Retry<>(
                    option("loginRetryBackoffMs", Long.class), option("loginRetryBackoffMaxMs", Long.class));
            try {
                return HttpAccessTokenRetriever.parseAccessToken(retry.execute(this::answer));
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage());
            }
        }

        private String answer() throws ExecutionException, UnretryableException {
            Request request = new Request();
            FutureTask<String> answer = new FutureTask<>(request::answer);
            Thread thread = new Thread(answer, "kafka-tokens");
            thread.setDaemon(true);
            thread.start();
            try {
                return answer.get(MOST_MILLIS, TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnretryableException refused) {
                    throw refused;
                }
                throw e;
            } catch (TimeoutException e) {
                throw new ExecutionException(new IOException("no token within " + MOST_MILLIS + " ms"));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ExecutionException(e);
            } finally {
                request.end();
            }
        }

        private final class Request {
            private final long start = Clock.SYSTEM.nanos();
            /** Null before it is sent. */
            private volatile HttpURLConnection connection;

            private String answer() throws IOException, UnretryableException {
                connection = (HttpURLConnection) new URL(option("tokenEndpointUrl", String.class)).openConnection();
                SSLSocketFactory sockets = option("sslSocketFactory", SSLSocketFactory.class);
                if (sockets != null && connection instanceof HttpsURLConnection https) {
                    https.setSSLSocketFactory(sockets);
                }
                connection.setConnectTimeout(millis("loginConnectTimeoutMs"));
                connection.setReadTimeout(millis("loginReadTimeoutMs"));
                send();
                int status = connection.getResponseCode();
                boolean isError = status >= HttpURLConnection.HTTP_BAD_REQUEST;
                String text;
                try (InputStream body = isError ? connection.getErrorStream() : connection.getInputStream()) {
                    text = body == null ? "" : read(body);
                }
                if (isError || status >= HttpURLConnection.HTTP_MULT_CHOICE) {
                    IOException refused = new IOException("the server of the tokens answers " + status + " "
                            + shortened(HttpAccessTokenRetriever.formatErrorMessage(text)));
                    if (status < HttpURLConnection.HTTP_INTERNAL_ERROR) {
                        throw new UnretryableException(refused);
                    }
                    throw refused;
                }
                return text;
            }

            private int millis(String option) {
                Integer millis = option(option, Integer.class);
                return millis == null || millis == 0 ? MOST_MILLIS : Math.min(millis, MOST_MILLIS);
            }

            private void send() throws IOException {
                byte[] form = HttpAccessTokenRetriever.formatRequestBody(option("scope", String.class))
                        .getBytes(StandardCharsets.UTF_8);
                connection.setInstanceFollowRedirects(false); // with a GET, and with the secret also to another host
                connection.setRequestMethod("POST");
                connection.setDoOutput(true);
                connection.setUseCaches(false);
                connection.setRequestProperty("Accept", "application/json");
                connection.setRequestProperty("Cache-Control", "no-cache");
                connection.setRequestProperty(
                        HttpAccessTokenRetriever.AUTHORIZATION_HEADER,
                        HttpAccessTokenRetriever.formatAuthorizationHeader(
                                option("clientId", String.class),
                                option("clientSecret", String.class),
                                option("urlencodeHeader", Boolean.class)));
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(form);
                }
            }

            private String read(InputStream body) throws IOException {
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                byte[] part = new byte[8192];
                for (int length = body.read(part); length >= 0; length = body.read(part)) {
                    text.write(part, 0, length);
                    if (text.size() > MOST_BYTES || isTooLate()) {
                        end();
                        throw new IOException("the answer of the server of the tokens is too long");
                    }
                }
                return text.toString(StandardCharsets.UTF_8);
            }

            private boolean isTooLate() {
                return Clock.SYSTEM.nanos() - start > TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
            }

            /** Closes the connection, also while another thread waits for the head of the answer. */
            private void end() {
                HttpURLConnection sent = connection;
                if (sent != null) {
                    sent.disconnect();
                }
            }

            private static String shortened(String reason) {
                return reason.substring(0, Math.min(LONGEST_REASON, reason.length()));
            }
        }
    }
}
