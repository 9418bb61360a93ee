package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageTextTest {
    @Test
    void the_status_of_an_http_answer_is_not_cut_off_behind_a_long_address() {
        String error =
                "HTTP operation failed invoking http://shop.example.com/" + "a".repeat(80) + " with statusCode: 422";

        assertThat(MessageText.error("org.apache.camel.http.base.HttpOperationFailedException", error))
                .startsWith("HttpOperationFailedException: 422 from http://shop.example.com/aaa");
        assertThat(MessageText.error("java.io.IOException", "broken pipe")).isEqualTo("IOException: broken pipe");
    }
}
