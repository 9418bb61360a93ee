package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlTextTest {
    @Test
    void names_are_quoted_if_they_need_it() {
        assertThat(SqlText.identifier("sent_at")).isEqualTo("sent_at");
        assertThat(SqlText.identifier("SentAt")).isEqualTo("\"SentAt\"");
        assertThat(SqlText.identifier("a\"b")).isEqualTo("\"a\"\"b\"");
        assertThat(SqlText.identifier("order")).isEqualTo("\"order\"");
    }
}
