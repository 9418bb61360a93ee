package dev.caravan.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once that spans cannot be sent, and once that they can again, where the SDK would say it with many batches. */
final class CollectorLog implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(CollectorLog.class);
    /** Kept, as the JDK forgets the level of a logger that nobody holds. */
    private static final java.util.logging.Logger SDK = java.util.logging.Logger.getLogger("io.opentelemetry");

    private final SpanExporter exporter;
    private final AtomicBoolean away = new AtomicBoolean();

    CollectorLog(SpanExporter exporter) {
        this.exporter = exporter;
    }

    /** It would say to standard error with many batches what comes as a result or an exception too. */
    static void silenceSdk() {
        SDK.setLevel(Level.OFF);
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        CompletableResultCode sent = exporter.export(spans);
        return sent.whenComplete(() -> note(sent));
    }

    private void note(CompletableResultCode sent) {
        if (!away.compareAndSet(sent.isSuccess(), !sent.isSuccess())) {
            return;
        }
        if (sent.isSuccess()) {
            LOG.info("Traces are sent again");
        } else {
            LOG.warn(
                    "Could not send traces: {}. Messages are delivered all the same; spans are lost until the collector"
                            + " takes them again",
                    reason(sent.getFailureThrowable()));
        }
    }

    /** The SDK and the HTTP client wrap what went wrong in several layers. */
    private static String reason(Throwable failure) {
        if (failure == null) {
            return "the collector did not take them";
        }
        Throwable cause = failure;
        while (!(cause instanceof IOException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String name = cause.getClass().getSimpleName();
        return cause.getMessage() == null ? name : name + " (" + cause.getMessage() + ")";
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
