package dev.caravan.relay.tracing;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs once when spans cannot be sent, and once when they can be sent again. The SDK, whose own log is off, would log it for each batch. */
final class CollectorLog implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(CollectorLog.class);

    private final SpanExporter exporter;
    private final AtomicBoolean unavailable = new AtomicBoolean();

    CollectorLog(SpanExporter exporter) {
        this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        CompletableResultCode sent = exporter.export(spans);
        return sent.whenComplete(() -> logChange(sent));
    }

    private void logChange(CompletableResultCode sent) {
        if (!unavailable.compareAndSet(sent.isSuccess(), !sent.isSuccess())) {
            return;
        }
        if (sent.isSuccess()) {
            LOG.info("Traces are sent again");
        } else {
            LOG.warn(
                    "Could not send traces: {}. Messages are delivered as usual. Spans are lost until the collector accepts"
                            + " them again",
                    reason(sent.getFailureThrowable()));
        }
    }

    /** The message of the underlying I/O failure, which the SDK and the HTTP client wrap. */
    private static String reason(Throwable failure) {
        if (failure == null) {
            return "the collector refused them";
        }
        Throwable cause = Causes.of(failure)
                .filter(IOException.class::isInstance)
                .findFirst()
                .orElseGet(() -> Causes.root(failure));
        String name = cause.getClass().getSimpleName();
        return cause.getMessage() == null ? name : name + " (" + ErrorText.masked(cause.getMessage()) + ")";
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }

    @Override
    public String toString() {
        return exporter.toString();
    }
}
