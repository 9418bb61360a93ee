package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The texts of statements. That databases accept them is shown where one is at hand: SourceTest, SourceMariaDbIT, SourcePostgresIT. */
class DialectTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MariaDB              | select a from t limit 5                    | 15000",
                "MySQL                | select a from t limit 5                    | 15000",
                "PostgreSQL           | select a from t limit 5                    | 500",
                "H2                   | select a from t fetch first 5 rows only    | 500",
                "Microsoft SQL Server | select top (5) a from t                    | 500",
                "Oracle               | select a from t fetch first 5 rows only    | 500",
                "DB2/LINUXX8664       | select a from t fetch first 5 rows only    | 500"
            })
    void a_read_is_limited_as_the_database_wants_it(String product, String select, int rowsOfTwoColumns) {
        assertThat(Dialect.of(product).limited("a", " from t", 5)).isEqualTo(select);
        assertThat(Dialect.of(product).rows(2)).isEqualTo(rowsOfTwoColumns);
    }

    @ParameterizedTest
    @CsvSource({
        "MariaDB, 30000",
        "PostgreSQL, 30000",
        "H2, 30000",
        "Microsoft SQL Server, 2000",
        "Oracle, 1000",
        "Other, 1000"
    })
    void a_statement_has_no_more_keys_than_the_database_takes(String product, int rows) {
        assertThat(Dialect.of(product).rows(1)).isEqualTo(rows);
        assertThat(Dialect.of(product).rows(7) * 7).isPositive().isLessThanOrEqualTo(rows);
    }

    @ParameterizedTest
    @CsvSource({
        "MSSQLServer, Microsoft SQL Server",
        "Oracle, Oracle",
        "MariaDB, MariaDB",
        "MySQL, MySQL",
        "PostgreSQL, PostgreSQL"
    })
    void the_form_of_a_database_is_understood_in_its_mode_of_h2(String mode, String product) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:;MODE=" + mode)) {
            execute(connection, "create table t (a int, b int)", "insert into t values (3, 1), (1, 1), (2, 1)");
            Dialect dialect = Dialect.of(product);
            try (PreparedStatement select = connection.prepareStatement(dialect.limited(
                    "a as x_1", " from t where " + dialect.among(List.of("a", "b"), 2) + " order by a", 1))) {
                for (int i = 0; i < 4; i++) {
                    select.setInt(i + 1, List.of(3, 1, 2, 1).get(i));
                }
                try (ResultSet rows = select.executeQuery()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(2);
                    assertThat(rows.next()).isFalse();
                }
            }
        }
    }

    @Test
    void rows_are_named_by_their_keys() {
        for (Dialect dialect : Dialect.values()) {
            assertThat(dialect.among(List.of("id"), 1)).isEqualTo("(id = ?)");
            assertThat(dialect.among(List.of("id"), 3)).isEqualTo("id in (?, ?, ?)");
            assertThat(dialect.among(List.of("a", "b"), 1)).isEqualTo("(a = ? and b = ?)");
        }
        assertThat(Dialect.SQL_SERVER.among(List.of("a", "b"), 2))
                .isEqualTo("((a = ? and b = ?) or (a = ? and b = ?))");
        assertThat(Dialect.MARIADB.among(List.of("a", "b"), 2)).isEqualTo("(a, b) in ((?, ?), (?, ?))");
    }
}
