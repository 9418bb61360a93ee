package dev.caravan.relay.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.context.FilesNotLoaded;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import org.apache.camel.health.HealthCheck.State;
import org.apache.camel.health.HealthCheckHelper;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;

/** The meters and checks that only a relay has. */
class MonitoringTest {
    private final FilesNotLoaded filesNotLoaded = new FilesNotLoaded();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void route_files_that_could_not_be_loaded_are_counted_and_named_and_no_check_is_down() throws Exception {
        try (var context = new DefaultCamelContext()) {
            HealthCheckRegistry.get(context).setExposureLevel("full");
            Monitoring.measure(registry, filesNotLoaded);
            Monitoring.check(context, filesNotLoaded);
            context.start();

            filesNotLoaded.set(Set.of("orders.camel.yaml"));

            assertThat(registry.get("caravan.route.files.not.loaded").gauge().value())
                    .isEqualTo(1);
            assertThat(HealthCheckHelper.invoke(context))
                    .filteredOn(result -> result.getCheck().getId().equals("route-files"))
                    .singleElement()
                    .satisfies(result -> {
                        assertThat(result.getState()).isEqualTo(State.UP);
                        assertThat(result.getMessage().orElseThrow())
                                .startsWith("degraded: could not load orders.camel.yaml");
                    });
            assertThat(HealthCheckHelper.isResultsUp(HealthCheckHelper.invokeReadiness(context), true))
                    .isTrue();
        }
    }
}
