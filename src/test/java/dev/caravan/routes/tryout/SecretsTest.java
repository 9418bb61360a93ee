package dev.caravan.routes.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.routes.destination.Header;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
    private static final Path NO_FILE = Path.of("no-such-folder", "application.properties");
    private static final String VALUE = "an \"odd\" <value> & more";

    @ParameterizedTest
    @ValueSource(
            strings = {
                VALUE,
                "an+%22odd%22+%3Cvalue%3E+%26+more",
                "an%20%22odd%22%20%3Cvalue%3E%20%26%20more",
                "an &quot;odd&quot; &lt;value&gt; &amp; more"
            })
    void a_value_is_masked_in_each_encoding(String encoded) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of())).and(List.of(VALUE));

        assertThat(secrets.mask("x=" + encoded + "!")).isEqualTo("x=" + Mask.HIDDEN + "!");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Authorization", "Cookie", "X-API-Key", "X-Auth-Token", "PRIVATE-TOKEN", "X-Webhook-Secret"})
    void a_header_named_like_a_secret_is_masked_if_no_setting_has_its_value(String name) {
        Secrets secrets = Secrets.of(Settings.load(NO_FILE, Map.of()));

        assertThat(secrets.maskHeader(Header.of(name, "s3cr3t"))).isEqualTo(Mask.HIDDEN);
        assertThat(Secrets.shown().maskHeader(Header.of(name, "s3cr3t"))).isEqualTo("s3cr3t");
    }

    @Test
    void nothing_is_masked_if_all_values_are_shown() {
        assertThat(Secrets.shown().and(List.of(VALUE)).mask(VALUE)).isEqualTo(VALUE);
    }
}
