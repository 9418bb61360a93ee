package dev.caravan.adopt.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlTokensTest {
    private static final Set<String> COLUMNS = Set.of("sent", "status", "date", "Sent At", "payload", "text");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "not sent                          | not old.sent",
                "NOT Sent and new.status is null   | NOT old.Sent and old.status is null",
                "status in ('sent', 'it''s sent')  | old.status in ('sent', 'it''s sent')",
                "\"Sent At\" is null               | old.\"Sent At\" is null",
                "date < date '2026-01-01'          | old.date < date '2026-01-01'",
                "date(status) = payload->>'date'   | date(old.status) = old.payload->>'date'",
                "status::text = cast(sent as text) | old.status::text = cast(old.sent as text)",
                "payload ? 'status' and (sent)     | old.payload ? 'status' and (old.sent)"
            })
    void each_column_gets_its_row_and_nothing_else_does(String given, String expected) {
        assertThat(SqlTokens.of(given).qualified("old", COLUMNS)).isEqualTo(expected);
    }

    @Test
    void the_clock_is_noticed_unless_it_is_in_a_text() {
        assertThat(SqlTokens.of("at <= now()").dependsOnTime()).isTrue();
        assertThat(SqlTokens.of("at <= CURRENT_TIMESTAMP").dependsOnTime()).isTrue();
        assertThat(SqlTokens.of("status = 'now' and not known").dependsOnTime()).isFalse();
    }

    @Test
    void assignments_are_taken_apart_at_commas_outside_of_parentheses() {
        assertThat(SqlTokens.of("sent = true, \"Sent At\" = coalesce(at, now()), tags = array['a,b', 'c']")
                        .assignments())
                .contains(Map.of("sent", "true", "Sent At", "coalesce(at, now())", "tags", "array['a,b', 'c']"));
        assertThat(SqlTokens.of("sent").assignments()).isEmpty();
        assertThat(SqlTokens.of("sent = ").assignments()).isEmpty();
        assertThat(SqlTokens.of("a b = 1").assignments()).isEmpty();
        assertThat(SqlTokens.of("(a, b) = (1, 2)").assignments()).isEmpty();
    }
}
