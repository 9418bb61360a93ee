package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTextTest {
    @Test
    void values_are_hidden_and_the_statement_stays_readable() {
        assertThat(QueryText.withoutValues(
                        "insert into outbox (type, payload)\n values ('order', '{\"phone\": \"it''s\"}')"))
                .isEqualTo("insert into outbox (type, payload) values (•••, •••)");
        assertThat(QueryText.withoutValues("select E'a\\'b', $1, $$secret$$, $x$ y' $x$, 4711, 12 from t2"))
                .isEqualTo("select •••, $1, •••, •••, •••, 12 from t2");
        assertThat(QueryText.withoutValues("select 1 -- anna's\n, /* secret */ 2"))
                .isEqualTo("select 1 , 2");
    }

    @Test
    void a_value_that_the_server_has_cut_is_hidden_to_its_end() {
        assertThat(QueryText.withoutValues("update t set a = 'secret and mo")).isEqualTo("update t set a = •••");
        assertThat(QueryText.withoutValues("update t set a = $$secret and mo")).isEqualTo("update t set a = •••");
        assertThat(QueryText.withoutValues("select " + "a".repeat(1_000))).hasSize(501);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 'ends with \\', 'secret'",
                "set standard_conforming_strings = off; select 'it\\'s', 'a secret'",
                "select 'customer' as \"customer's\", 'secret'",
                "select '1' as a$b$, '$b$ secret', '$b$'",
                "select $ä$secret$ä$",
                "select 'x' /* a /* b */ secret */",
                "select e'it\\'s', 'secret'",
                "select type'secret\\\\'",
                "select 'a' /* ' */, 'secret'",
                "select 'a' -- '\n, 'secret'",
                "select 'a' -- \r, 'b\nsecret'"
            })
    void no_text_before_a_value_shows_it(String query) {
        assertThat(QueryText.withoutValues(query)).startsWith("se").doesNotContain("secret");
    }

    @Test
    void numbers_are_hidden_in_every_notation() {
        assertThat(QueryText.withoutValues("select 49_171_555, 0x1F2E, 4711e3, 12.345, t4711, $123, 12, 7"))
                .isEqualTo("select •••, •••, •••, •••, t4711, $123, 12, 7");
    }

    @Test
    void a_statement_of_the_longest_length_is_read() {
        for (String begin : List.of("'", "e'", "/*", "/* /*", "\"", "$$", "a", "1", "--")) {
            assertThat(QueryText.withoutValues(begin + "x".repeat(2_000))).hasSizeLessThan(502);
        }
    }
}
