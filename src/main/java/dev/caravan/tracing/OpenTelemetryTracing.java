package dev.caravan.tracing;

import dev.caravan.delivery.Delivery;
import dev.caravan.outbox.Tracing;
import dev.caravan.settings.ProgramVersion;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.resources.Resource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.camel.Message;

/**
 * Traces by OpenTelemetry's SDK, set up by its own variables ({@code OTEL_…}) and by the settings {@code otel.*}. Spans wait in a
 * queue of bounded length and are sent by a thread of the SDK; those that do not fit in are dropped, so a slow collector never
 * holds back a delivery.
 */
public final class OpenTelemetryTracing implements Tracing {
    /** A collector that is away must not hold back the stop of a relay. */
    private static final long FLUSH_SECONDS = 3;

    /** What holds where neither a variable nor a setting says otherwise. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name", "caravan",
            "otel.exporter.otlp.protocol", "http/protobuf", // what the sender of the JDK can do
            "otel.metrics.exporter", "none",
            "otel.logs.exporter", "none");

    private final OpenTelemetrySdk sdk;
    private final Spans spans;

    private OpenTelemetryTracing(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        this.spans = new Spans(sdk);
    }

    /** @throws SettingsException if a variable or setting of OpenTelemetry cannot be used */
    public static OpenTelemetryTracing start(Settings settings) {
        CollectorLog.silenceSdk();
        try {
            return new OpenTelemetryTracing(AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook() // the relay stops first, so that its last spans are sent
                    .addPropertiesSupplier(() -> properties(settings))
                    .addResourceCustomizer((resource, config) -> version().merge(resource))
                    .addSpanExporterCustomizer((exporter, config) -> new CollectorLog(exporter))
                    .build()
                    .getOpenTelemetrySdk());
        } catch (ConfigurationException | IllegalStateException | IllegalArgumentException e) {
            throw new SettingsException("caravan.tracing is true, but OpenTelemetry cannot be set up: " + e.getMessage()
                    + ". Correct the variable (OTEL_…) or the setting (otel.*), or set caravan.tracing to false");
        }
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

    /** Sends what is still in the queue, for some seconds at most. */
    @Override
    public void close() {
        sdk.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
    }
}
