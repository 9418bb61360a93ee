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

    @Test
    void what_is_not_visible_in_a_text_is_escaped() {
        assertThat(SqlText.visibleLiteral("it's \\ é")).isEqualTo("'it''s \\ é'");
        assertThat(SqlText.visibleLiteral("it's\n\\é\u202e"))
                .isEqualTo("E'it''s\\U0000000a\\\\\\U000000e9\\U0000202e'");
    }
}
