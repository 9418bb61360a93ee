package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HttpStatusTextTest {
    @Test
    void an_error_begins_with_its_class_or_with_the_text_if_it_has_none() {
        assertThat(HttpStatusText.error("java.io.IOException", "Broken pipe")).isEqualTo("IOException: Broken pipe");
        assertThat(HttpStatusText.error("", "The route marked the message for rollback"))
                .isEqualTo("The route marked the message for rollback");
    }

    @Test
    void the_status_stands_before_the_address() {
        assertThat(HttpStatusText.error(
                        "org.apache.camel.http.base.HttpOperationFailedException",
                        "HTTP operation failed invoking http://shop with statusCode: 422"))
                .isEqualTo("HttpOperationFailedException: 422 from http://shop");
    }
}
