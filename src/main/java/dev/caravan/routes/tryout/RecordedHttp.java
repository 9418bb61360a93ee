package dev.caravan.routes.tryout;

import dev.caravan.camel.httpclient.EarlyAnswers;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.HttpSent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.io.entity.BufferedHttpEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;

/** Records the requests of Camel's HTTP client instead of writing them to a connection. */
final class RecordedHttp implements HttpClientConfigurer {
    private static final int LONGEST_BODY = 64 * 1024;

    private final HttpClientConfigurer options;
    private final Recorder recorder;

    private RecordedHttp(HttpClientConfigurer options, Recorder recorder) {
        this.options = options;
        this.recorder = recorder;
    }

    static void bind(HttpEndpoint endpoint, Recorder recorder) {
        if (!(endpoint.getHttpClientConfigurer() instanceof RecordedHttp)) {
            endpoint.setHttpClientConfigurer(new RecordedHttp(endpoint.getHttpClientConfigurer(), recorder));
        }
    }

    @Override
    public void configureHttpClient(HttpClientBuilder client) {
        if (options != null) {
            options.configureHttpClient(client);
        }
        if (recorder.sends()) {
            client.setRequestExecutor(new RecordingExecutor());
        } else {
            client.addExecInterceptorFirst(
                    "recorded", (request, scope, chain) -> chain.proceed(request, replaced(scope)));
        }
    }

    private ExecChain.Scope replaced(ExecChain.Scope scope) {
        return new ExecChain.Scope(
                scope.exchangeId,
                scope.route,
                scope.originalRequest,
                new NoConnection(this::answer),
                scope.clientContext);
    }

    private ClassicHttpResponse answer(ClassicHttpRequest request) throws IOException {
        Answer answer = recorder.answer(sent(request));
        return switch (answer.kind()) {
            case ANSWERED -> response(answer);
            case REFUSED ->
                throw new HttpHostConnectException(
                        "Connect to " + request.getAuthority() + " failed: Connection refused");
            case CUT -> throw new NoHttpResponseException(request.getAuthority() + " failed to respond");
            case TIMEOUT -> throw answer.failure();
        };
    }

    private static ClassicHttpResponse response(Answer answer) {
        BasicClassicHttpResponse response = new BasicClassicHttpResponse(answer.status());
        answer.headers().forEach(response::addHeader);
        if (answer.status() != 204) {
            String type = answer.headers().getOrDefault("Content-Type", "text/plain; charset=utf-8");
            response.setEntity(new StringEntity(answer.body(), ContentType.parse(type)));
        }
        return response;
    }

    private static HttpSent sent(ClassicHttpRequest request) throws IOException {
        try {
            return new HttpSent(
                    request.getMethod(),
                    request.getUri().toString(),
                    Arrays.stream(request.getHeaders())
                            .map(header ->
                                    dev.caravan.routes.destination.Header.of(header.getName(), header.getValue()))
                            .toList(),
                    body(request));
        } catch (URISyntaxException e) {
            throw new IOException("The URL of the request is not valid: " + e.getMessage(), e);
        }
    }

    private static Bytes body(ClassicHttpRequest request) throws IOException {
        if (request.getEntity() == null) {
            return Bytes.EMPTY;
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        request.getEntity().writeTo(body);
        return new Bytes(body.toByteArray());
    }

    /** Sends requests, and records them with the answers. */
    private final class RecordingExecutor extends EarlyAnswers {
        @Override
        public ClassicHttpResponse execute(
                ClassicHttpRequest request,
                HttpClientConnection connection,
                HttpResponseInformationCallback callback,
                HttpContext context)
                throws IOException, HttpException {
            if (request.getEntity() != null && !request.getEntity().isRepeatable()) {
                request.setEntity(new BufferedHttpEntity(request.getEntity()));
            }
            HttpSent sent = sent(request);
            try {
                ClassicHttpResponse response = super.execute(request, connection, callback, context);
                recorder.sent(sent, answered(response));
                return response;
            } catch (IOException | HttpException e) {
                recorder.sent(sent, Answer.of(Answer.Kind.CUT).withDetail(e.toString()));
                throw e;
            }
        }

        private Answer answered(ClassicHttpResponse response) throws IOException {
            Map<String, String> headers = new LinkedHashMap<>();
            for (Header header : response.getHeaders()) {
                headers.merge(header.getName(), header.getValue(), (one, other) -> one + ", " + other);
            }
            String body = "";
            if (response.getEntity() != null) {
                response.setEntity(new BufferedHttpEntity(response.getEntity()));
                byte[] bytes = EntityUtils.toByteArray(response.getEntity());
                body = new String(bytes, 0, Math.min(bytes.length, LONGEST_BODY), StandardCharsets.UTF_8);
            }
            return new Answer(Answer.Kind.ANSWERED, response.getCode(), headers, body, response.getReasonPhrase());
        }
    }
}
