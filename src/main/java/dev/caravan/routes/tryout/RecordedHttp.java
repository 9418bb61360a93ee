package dev.caravan.routes.tryout;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.HttpSent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.camel.component.http.CompositeHttpConfigurer;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecRuntime;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.entity.BufferedHttpEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/** Records the requests of Camel's HTTP client, complete, in place of their connection, which is used only if the dry run sends. */
final class RecordedHttp extends CompositeHttpConfigurer {
    private static final int LONGEST_BODY = 64 * 1024;

    /** For the server of the tokens of OAuth, whose requests contain a secret. They are not recorded. */
    private static final Answer TOKEN = Answer.status(200).withBody("{\"access_token\": \"of-a-dry-run\"}");

    private final String tokens;
    private final Recorder recorder;

    /** The client that requests tokens is built with the options, and has the same interceptor. */
    private RecordedHttp(HttpEndpoint endpoint, Recorder recorder) {
        this.recorder = recorder;
        tokens = endpoint.getOauth2TokenEndpoint();
        addConfigurer(client -> client.addExecInterceptorFirst(
                "recorded", (request, scope, chain) -> chain.proceed(request, recorded(scope))));
        addConfigurer(endpoint.getHttpClientConfigurer());
    }

    static void bind(HttpEndpoint endpoint, Recorder recorder) {
        if (!(endpoint.getHttpClientConfigurer() instanceof RecordedHttp)) {
            endpoint.setHttpClientConfigurer(new RecordedHttp(endpoint, recorder));
        }
    }

    private ExecChain.Scope recorded(ExecChain.Scope scope) {
        ExecRuntime connection = (ExecRuntime) Proxy.newProxyInstance(
                RecordedHttp.class.getClassLoader(), new Class<?>[] {ExecRuntime.class}, (proxy, method, args) -> {
                    if (method.getName().equals("execute")) {
                        return execute((ClassicHttpRequest) args[1], scope.execRuntime, method, args);
                    }
                    if (recorder.sends()) {
                        return call(scope.execRuntime, method, args);
                    }
                    boolean isQuestion = method.getReturnType() == boolean.class; // acquired, connected, reusable
                    return isQuestion ? !method.getName().equals("isExecutionAborted") : null;
                });
        return new ExecChain.Scope(
                scope.exchangeId, scope.route, scope.originalRequest, connection, scope.clientContext);
    }

    private ClassicHttpResponse execute(
            ClassicHttpRequest request, ExecRuntime connection, Method method, Object[] args) throws Throwable {
        if (tokens != null && request.getUri().equals(new HttpPost(tokens).getUri())) {
            return recorder.sends() ? (ClassicHttpResponse) call(connection, method, args) : response(TOKEN);
        }
        if (!recorder.sends()) {
            return response(request, recorder.answer(sent(request)));
        }
        if (request.getEntity() != null && !request.getEntity().isRepeatable()) {
            request.setEntity(new BufferedHttpEntity(request.getEntity()));
        }
        HttpSent sent = sent(request);
        try {
            ClassicHttpResponse response = (ClassicHttpResponse) call(connection, method, args);
            recorder.sent(sent, answered(response));
            return response;
        } catch (Exception e) {
            recorder.sent(sent, Answer.of(Answer.Kind.CUT).withDetail(e.toString()));
            throw e;
        }
    }

    private static Object call(ExecRuntime connection, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(connection, args);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static ClassicHttpResponse response(ClassicHttpRequest request, Answer answer) throws IOException {
        String host = String.valueOf(request.getAuthority());
        return switch (answer.kind()) {
            case ANSWERED -> response(answer);
            case REFUSED -> throw new HttpHostConnectException("Connect to " + host + " failed: Connection refused");
            case CUT -> throw new NoHttpResponseException(host + " failed to respond");
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
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (request.getEntity() != null) {
            request.getEntity().writeTo(body);
        }
        try {
            return new HttpSent(
                    request.getMethod(),
                    request.getUri().toString(),
                    Arrays.stream(request.getHeaders())
                            .map(header -> Header.of(header.getName(), header.getValue()))
                            .toList(),
                    new Bytes(body.toByteArray()));
        } catch (URISyntaxException e) {
            throw new IOException("The URL of the request is not valid: " + e.getMessage(), e);
        }
    }

    private static Answer answered(ClassicHttpResponse response) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        for (var header : response.getHeaders()) {
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
