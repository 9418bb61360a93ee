package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Statements with named parameters on a real server. */
class SqlIT {
    record Shown(long id, String firstName, Instant createdAt) {}

    private final DataSource database = TestPostgres.server().dataSource("postgres");

    @Test
    void gives_each_parameter_its_value_wherever_it_occurs() throws SQLException {
        var shown = Sql.text(
                        "select :id::bigint as id, :name::text || :name::text as first_name, :at::timestamptz as created_at")
                .with("id", 7L)
                .with("name", "a")
                .with("at", Instant.parse("2026-01-02T03:04:05.123456Z"));

        assertThat(shown.query(database, row -> row.getString(2))).containsExactly("aa");
        try (var connection = database.getConnection()) {
            assertThat(shown.query(connection, Shown.class))
                    .containsExactly(new Shown(7, "aa", Instant.parse("2026-01-02T03:04:05.123456Z")));
        }
    }

    @Test
    void passes_arrays_nulls_infinities_and_enums() throws SQLException {
        assertThat(Sql.text(
                                "select cardinality(:ids::bigint[]), cardinality(:counts::integer[]), :texts::text[] = array['x', null],"
                                        + " :nothing::text is null, :end::timestamptz = 'infinity', :state::text")
                        .with("ids", new long[] {1, 2})
                        .with("counts", new int[] {1, 2, 3})
                        .with("texts", new String[] {"x", null})
                        .with("nothing", null)
                        .with("end", Instant.MAX)
                        .with("state", Thread.State.NEW)
                        .first(
                                database,
                                row -> List.of(
                                        row.getInt(1),
                                        row.getInt(2),
                                        row.getBoolean(3),
                                        row.getBoolean(4),
                                        row.getBoolean(5),
                                        row.getString(6))))
                .contains(List.of(2, 3, true, true, true, "NEW"));
    }

    @Test
    void leaves_casts_operators_with_a_question_mark_texts_and_comments_alone() throws SQLException {
        assertThat(Sql.text("select '{\"a\": 1}'::jsonb ?? :key, ':none' /* :none */ -- :none\n")
                        .with("key", "a")
                        .first(database, row -> row.getBoolean(1) + row.getString(2)))
                .contains("true:none");
    }

    @Test
    void names_a_parameter_without_value_and_a_value_without_parameter() {
        assertThatThrownBy(() -> Sql.text("select :id").query(database, row -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id has no value");
        assertThatThrownBy(() -> Sql.text("select :id").with("ids", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no parameter ids");
    }

    @Test
    void reads_arrays_of_texts_as_lists_and_takes_the_values_it_needs_from_others() throws SQLException {
        record Lists(List<String> given, List<String> missing) {}

        try (var connection = database.getConnection()) {
            assertThat(Sql.text("select array['a', :b::text] as given, null::text[] as missing")
                            .withKnown(Map.of("b", "b", "c", "c"))
                            .query(connection, Lists.class))
                    .containsExactly(new Lists(List.of("a", "b"), List.of()));
        }
    }

    @Test
    void runs_text_of_users_unchanged() throws SQLException {
        try (var connection = database.getConnection()) {
            String text =
                    "select count(*) from (values ('{\"a\": 1}'::jsonb, '{fn now()}'), (null, ':b ?')) given (content, text)"
                            + " where content ? 'a' or text = ':b ?'";

            assertThat(Sql.number(connection, text)).isEqualTo(2);
            assertThat(Sql.rows(connection, "select $${d 'x'} ?$$", row -> row.getString(1)))
                    .containsExactly("{d 'x'} ?");
            assertThat(Sql.execute(connection, "create temporary table changed as select 1 as value"))
                    .isEqualTo(1);
            assertThat(Sql.execute(connection, "set time zone 'UTC'")).isZero();
        }
    }

    @Test
    void takes_part_in_the_transaction_of_spring_and_throws_its_exceptions() {
        var jdbc = new JdbcTemplate(database);

        assertThat(Sql.text("select :id::integer").with("id", 3).first(jdbc, row -> row.getInt(1)))
                .contains(3);
        assertThat(Sql.text("delete from pg_catalog.pg_description where objoid = :id::oid")
                        .with("id", 0)
                        .update(jdbc))
                .isZero();
        assertThatThrownBy(() ->
                        Sql.text("select 1 / :zero::integer").with("zero", 0).query(jdbc, row -> 1))
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("division by zero");
    }
}
