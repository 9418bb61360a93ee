package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueryTextTest {
    @Test
    void values_are_hidden_and_the_statement_stays_readable() {
        assertThat(QueryText.withoutValues(
                        "insert into outbox (type, payload)\n values ('order', '{\"phone\": \"it''s\"}')"))
                .isEqualTo("insert into outbox (type, payload) values (•••, •••)");
        assertThat(QueryText.withoutValues("select E'a\\'b', $1, $$secret$$, $x$ y' $x$, 4711, 12 from t2"))
                .isEqualTo("select E•••, $1, •••, •••, •••, 12 from t2");
        assertThat(QueryText.withoutValues("select 1 -- anna's\n, /* secret */ 2"))
                .isEqualTo("select 1 , 2");
    }

    @Test
    void a_value_that_the_server_has_cut_is_hidden_to_its_end() {
        assertThat(QueryText.withoutValues("update t set a = 'secret and mo")).isEqualTo("update t set a = •••");
        assertThat(QueryText.withoutValues("update t set a = $$secret and mo")).isEqualTo("update t set a = •••");
        assertThat(QueryText.withoutValues("select " + "a".repeat(1_000))).hasSize(501);
    }
}
