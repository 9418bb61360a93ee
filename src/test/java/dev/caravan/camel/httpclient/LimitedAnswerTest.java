package dev.caravan.camel.httpclient;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.junit.jupiter.api.Test;

class LimitedAnswerTest {
    /** HttpClient would allocate it at once, for example for a token of OAuth, and the relay would end. */
    @Test
    void no_length_above_the_limit_is_announced_to_readers() {
        assertThat(announced(2_147_483_000)).isEqualTo(-1);
        assertThat(announced(1_025)).isEqualTo(-1);
        assertThat(announced(1_024)).isEqualTo(1_024);
        assertThat(announced(-1)).isEqualTo(-1);
    }

    private static long announced(long length) {
        var answer = new InputStreamEntity(new ByteArrayInputStream(new byte[0]), length, null);
        return new LimitedAnswer(answer, 1_024, null, () -> {}).getContentLength();
    }
}
