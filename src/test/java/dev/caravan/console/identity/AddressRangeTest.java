package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.settings.SettingsException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.1.2, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "10.1.2.3/8, 10.9.9.9, true",
        "192.168.1.7, 192.168.1.7, true",
        "192.168.1.7, 192.168.1.8, false",
        "192.168.1.128/25, 192.168.1.127, false",
        "fd00::/8, fdab::1, true",
        "::1, 0:0:0:0:0:0:0:1, true",
        "10.0.0.0/8, ::ffff:10.1.1.1, true",
        "fe80::/10, fe80::1%eth0, true",
        "::/1, 10.1.1.1, false",
        "10.0.0.0/8, ten.example.com, false"
    })
    void an_address_is_in_a_range_or_not(String range, String address, boolean inside) {
        assertThat(AddressRange.list("proxies", range).stream().anyMatch(each -> AddressRange.address(address)
                        .filter(each::contains)
                        .isPresent()))
                .isEqualTo(inside);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "proxy.example.com | must be addresses",
                "cafe | must be addresses",
                "10.1/8 | must be addresses",
                "300.1.1.1 | must be addresses",
                "10.0.0.0/33 | must have a length up to 32",
                "10.0.0.0/x | must have a length",
                "::/129 | must have a length up to 128",
                "10.0.0.1, 0.0.0.0/0 | must not trust every address"
            })
    void a_wrong_range_is_refused(String ranges, String why) {
        assertThatThrownBy(() -> AddressRange.list("caravan.people.proxies", ranges))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("caravan.people.proxies")
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://u:s3cr3t@10.0.0.1", "u:s3cr3t@10.0.0.2"})
    void a_login_of_a_wrong_address_is_not_shown(String range) {
        assertThatThrownBy(() -> AddressRange.list("proxies", range))
                .hasMessageContaining("got •••@10.0.0.")
                .hasMessageNotContaining("s3cr3t");
    }
}
