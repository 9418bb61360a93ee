package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservedWordsIT {
    @Test
    void all_words_that_the_server_reserves_are_quoted() throws Exception {
        try (TestOutbox database = TestOutbox.withoutTables()) {
            List<String> reserved = database.jdbc()
                    .queryForList("select word from pg_get_keywords() where catcode in ('R', 'T')", String.class);

            assertThat(reserved).contains("from", "left").allSatisfy(word -> assertThat(SqlText.identifier(word))
                    .isEqualTo('"' + word + '"'));
        }
    }
}
