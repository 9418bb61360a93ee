package dev.caravan.camel.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublicAddressesTest {
    @Test
    void a_host_with_public_and_private_addresses_is_used_at_the_public_ones_only() throws Exception {
        DnsResolver names = new DnsResolver() {
            @Override
            public InetAddress[] resolve(String host) throws UnknownHostException {
                return new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("8.8.8.8")};
            }

            @Override
            public String resolveCanonicalHostname(String host) {
                return host;
            }
        };

        assertThat(new PublicAddresses(names, Optional.empty()).resolve("x"))
                .containsExactly(InetAddress.getByName("8.8.8.8"));
    }

    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, false",
        "127.0.0.1, true",
        "10.0.0.1, true",
        "172.16.0.1, true",
        "172.32.0.1, false",
        "192.168.1.1, true",
        "169.254.169.254, true",
        "100.64.0.1, true",
        "100.128.0.1, false",
        "0.0.0.0, true",
        "0.1.2.3, true",
        "198.18.0.1, true",
        "224.0.0.1, true",
        "255.255.255.255, true",
        "192.0.0.1, true",
        "2606:4700::1111, false",
        "::1, true",
        "::, true",
        "fe80::1, true",
        "fc00::1, true",
        "fd12::1, true",
        "fec0::1, true",
        "ff02::1, true",
        "::ffff:10.0.0.1, true",
        "::ffff:8.8.8.8, false",
        "::10.0.0.1, true",
        "64:ff9b::10.0.0.1, true",
        "64:ff9b::8.8.8.8, false",
        "64:ff9b:1::1, true",
        "2002:0a00:0001::, true",
        "2002:0808:0808::, false",
        "2001:0:1::1, true"
    })
    void private_addresses(String address, boolean isPrivate) throws Exception {
        assertThat(PublicAddresses.isPrivate(InetAddress.getByName(address))).isEqualTo(isPrivate);
    }
}
