package dev.caravan.camel.httpclient;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeRedirectsTest {
    @ParameterizedTest
    @CsvSource({
        "https://shop.example,      https://shop.example:443, true",
        "http://shop.example:8080,  http://SHOP.example:8080, true",
        "http://shop.example,       https://shop.example,     true",
        "http://shop.example:80,    https://shop.example:443, true",
        "https://shop.example,      http://shop.example,      false",
        "https://shop.example,      http://shop.example:443,  false",
        "http://shop.example:8080,  https://shop.example,     false",
        "http://shop.example,       https://shop.example:444, false",
        "http://shop.example,       http://shop.example:8080, false",
        "http://shop.example,       http://other.example,     false",
        "http://shop.example,       https://other.example,    false",
        "http://shop.example,       http://a.shop.example,    false"
    })
    void a_redirect_is_followed_only_to_the_same_receiver(String from, String to, boolean isFollowed) throws Exception {
        assertThat(new SafeRedirects().isRedirectAllowed(HttpHost.create(from), HttpHost.create(to), null, null))
                .isEqualTo(isFollowed);
    }
}
