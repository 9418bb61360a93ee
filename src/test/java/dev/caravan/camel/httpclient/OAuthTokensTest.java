package dev.caravan.camel.httpclient;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.step.FieldCopy;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.camel.component.http.OAuth2ClientConfigurer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OAuthTokensTest {
    @SuppressWarnings("unchecked")
    private final Map<Object, Object> kept =
            FieldCopy.value(OAuth2ClientConfigurer.class, "tokenCache", null, Map.class);

    @AfterEach
    void clear() {
        kept.clear();
    }

    @Test
    void camel_keeps_a_limited_number_of_tokens() {
        IntStream.rangeClosed(1, 1_000).forEach(address -> kept.put(address, "token"));
        OAuthTokens.limit();
        assertThat(kept).hasSize(1_000);

        kept.put(1_001, "token");
        OAuthTokens.limit();
        assertThat(kept).isEmpty();
    }
}
