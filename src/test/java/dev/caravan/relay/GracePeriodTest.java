package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GracePeriodTest {
    @Test
    void kubernetes_waits_longer_than_a_stop_takes_if_nothing_answers() throws Exception {
        Settings defaults = Settings.load(Path.of("none.properties"), Map.of());
        int grace = new YAMLMapper()
                .readTree(Path.of("k8s/base/deployment.yaml").toFile())
                .at("/spec/template/spec/terminationGracePeriodSeconds")
                .asInt();

        assertThat(Duration.ofSeconds(grace))
                .isGreaterThan(LiveReload.CLOSE_TIMEOUT.plus(Relay.SHUTDOWN).plus(Connections.of(defaults).longestWait()));
    }
}
