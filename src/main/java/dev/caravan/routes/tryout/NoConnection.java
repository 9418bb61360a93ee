package dev.caravan.routes.tryout;

import java.io.IOException;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.ExecRuntime;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.util.TimeValue;

/** Replaces an open connection of the HTTP client: answers requests without a connection. */
final class NoConnection implements ExecRuntime {
    /** Answers a request. */
    @FunctionalInterface
    interface Server {
        ClassicHttpResponse answer(ClassicHttpRequest request) throws IOException;
    }

    private final Server server;

    NoConnection(Server server) {
        this.server = server;
    }

    @Override
    public ClassicHttpResponse execute(String id, ClassicHttpRequest request, HttpClientContext context)
            throws IOException {
        return server.answer(request);
    }

    @Override
    public boolean isExecutionAborted() {
        return false;
    }

    @Override
    public boolean isEndpointAcquired() {
        return true;
    }

    @Override
    public void acquireEndpoint(String id, HttpRoute route, Object state, HttpClientContext context) {
        // there is none
    }

    @Override
    public void releaseEndpoint() {
        // there is none
    }

    @Override
    public void discardEndpoint() {
        // there is none
    }

    @Override
    public boolean isEndpointConnected() {
        return true;
    }

    @Override
    public void disconnectEndpoint() {
        // there is none
    }

    @Override
    public void connectEndpoint(HttpClientContext context) {
        // there is none
    }

    @Override
    public void upgradeTls(HttpClientContext context) {
        // there is none
    }

    @Override
    public boolean isConnectionReusable() {
        return true;
    }

    @Override
    public void markConnectionReusable(Object state, TimeValue validity) {
        // there is none
    }

    @Override
    public void markConnectionNonReusable() {
        // there is none
    }

    @Override
    public ExecRuntime fork(CancellableDependency dependency) {
        return this;
    }
}
