package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.http.Authentication;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeopleSettingsTest {
    @Test
    void without_settings_only_tokens_are_accepted() {
        assertThat(PeopleSettings.read(settings(), Clock.SYSTEM).apply(new GuardedServer.Ended()))
                .isSameAs(Authentication.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxies=10.0.0.0/8 | caravan.people.roles must name",
                "roles=read: * | has no effect without",
                "proxies=10.0.0.0/8&roles=read: *&token= | caravan.management.token is not",
                "issuer=https://id.example.com | caravan.people.roles must name",
                "issuer=https://id.example.com&roles=read: * | caravan.people.client is missing",
                "issuer=https://id.example.com&roles=read: *&client=:x | caravan.people.client is missing",
                "issuer=https://id.example.com&roles=read: *&client=a:b | caravan.people.address must be",
                "issuer=http://id.example.com&roles=read: *&client=a&address=https://c.example.com |"
                        + " caravan.people.issuer must be",
                "issuer=https://id.example.com&roles=read: *&client=a&address=http://c.example.com |"
                        + " caravan.people.address must be",
                "issuer=https://id.example.com&roles=read: *&client=a&address=https://c.example.com/console | must not"
                        + " have a path",
                "issuer=https://id.example.com&roles=read: *&client=a&address=https://c.example.com&names=x | must be"
                        + " two claims",
                "issuer=https://id.example.com&roles=read: *&client=a&address=x&token= | caravan.management.token is"
                        + " not",
                "issuer=https://id.example.com&roles=read: *&client=a&address=https://c.example.com"
                        + "&token=a-token-of-this-test@public | caravan.people.client has no secret",
                "issuer=https://id.example.com&proxies=10.0.0.0/8&roles=read: * | are both set",
                "client=caravan:secret | has no effect without",
                "proxies=10.0.0.0/8&roles=read: *&names=X-User | must be two header names",
                "proxies=10.0.0.0/8&roles=read: *&names=X_User, X-Groups | must be two header names",
                "proxies=10.0.0.0/8&roles=read: *&names=X-User, x-user | must be two header names"
            })
    void settings_that_contradict_each_other_are_refused(String given, String why) {
        assertThatThrownBy(() -> PeopleSettings.read(settings(given.split("&")), Clock.SYSTEM))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(why);
    }

    private static Settings settings(String... given) {
        Map<String, String> values = new HashMap<>(Map.of("caravan.management.token", "a-token-of-this-test"));
        for (String each : given) {
            String[] parts = each.split("=", 2);
            values.put((parts[0].equals("token") ? "caravan.management." : "caravan.people.") + parts[0], parts[1]);
        }
        return Settings.load(Path.of("none.properties"), values);
    }
}
