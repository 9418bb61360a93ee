package dev.caravan.relay.monitoring;

import dev.caravan.base.settings.ProgramVersion;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.camel.CamelContext;

/** A gauge that is always 1, with the versions of a relay and its libraries as tags. */
public final class BuildInfo {
    private static final String NAMES = "caravan.";
    private static final String UNKNOWN = "unknown";

    private BuildInfo() {}

    public static void register(MeterRegistry registry) {
        String camel = CamelContext.class.getPackage().getImplementationVersion();
        Gauge.builder(NAMES + "build.info", () -> 1)
                .tag("version", ProgramVersion.text())
                .tag("commit", ProgramVersion.commit().orElse(UNKNOWN))
                .tag("java", System.getProperty("java.version"))
                .tag("camel", camel == null ? UNKNOWN : camel)
                .description("1, with the versions of the relay as tags")
                .register(registry);
    }
}
