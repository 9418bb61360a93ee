package dev.caravan.relay.tracing;

import dev.caravan.base.settings.ProgramVersion;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.Sentence;
import dev.caravan.camel.outbox.Tracing;
import dev.caravan.engine.schedule.Delivery;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.resources.Resource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.camel.Message;

/**
 * Tracing with OpenTelemetry's SDK, configured by its environment variables ({@code OTEL_…}) and by the settings {@code otel.*}.
 * A thread of the SDK sends spans from a bounded queue. Spans are dropped when the queue is full, so a slow collector does not
 * delay deliveries.
 */
public final class OpenTelemetryTracing implements Tracing {
    /** The longest time that an unavailable collector can delay the stop of a relay. */
    private static final long FLUSH_SECONDS = 3;

    /** Defaults, overridden by variables and settings. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name", "caravan",
            "otel.exporter.otlp.protocol", "http/protobuf", // the protocol that the JDK sender supports
            "otel.metrics.exporter", "none",
            "otel.logs.exporter", "none");

    /** The SDK's errors about the headers for the collector, and about a part of its address that must not be there. */
    private static final Pattern QUOTED =
            Pattern.compile("(Invalid map property: [\\w.-]+=|must not have a [a-z ]+: ).*", Pattern.DOTALL);

    private final OpenTelemetrySdk sdk;
    private final Spans spans;

    private OpenTelemetryTracing(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        this.spans = new Spans(sdk);
    }

    /** @throws SettingsException if a variable or setting of OpenTelemetry cannot be used */
    public static OpenTelemetryTracing start(Settings settings) {
        try {
            return new OpenTelemetryTracing(AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook() // the relay must stop first, so that its last spans are sent
                    .addPropertiesSupplier(() -> properties(settings))
                    .addResourceCustomizer((resource, config) -> version().merge(resource))
                    .addSpanExporterCustomizer((exporter, config) -> new CollectorLog(exporter))
                    .build()
                    .getOpenTelemetrySdk());
        } catch (ConfigurationException | IllegalStateException | IllegalArgumentException e) {
            throw new SettingsException("caravan.tracing is true, but OpenTelemetry cannot be set up: "
                    + Sentence.of(reason(e))
                    + " Correct the variable (OTEL_…) or the setting (otel.*), or set caravan.tracing to false");
        }
    }

    /**
     * The SDK hides the reason in a cause, and reports gRPC as a library that is missing. It quotes values, which may be the token for the
     * collector, or an address with one.
     */
    private static String reason(RuntimeException refusal) {
        String reason = String.valueOf(Causes.root(refusal).getMessage());
        return reason.contains("GrpcSender")
                ? "otel.exporter.otlp.protocol must be http/protobuf; gRPC is not supported"
                : ErrorText.masked(QUOTED.matcher(reason).replaceFirst("$1•••"));
    }

    private static Map<String, String> properties(Settings settings) {
        Map<String, String> properties = new HashMap<>(DEFAULTS);
        settings.all().forEach((name, value) -> {
            if (name.startsWith("otel.") && !value.isEmpty()) {
                properties.put(name, value);
            }
        });
        return properties;
    }

    private static Resource version() {
        return Resource.builder().put("service.version", ProgramVersion.text()).build();
    }

    @Override
    public Attempt begin(String subscription, Delivery delivery, Message in) {
        return spans.begin(subscription, delivery, in);
    }

    /** Sends the spans in the queue, for at most 3 s. */
    @Override
    public void close() {
        sdk.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
    }
}
