package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.caravan.camel.outbox.TestOutbox;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The SQL in the pages for operators runs on the current tables. */
class SqlIT {
    private static TestOutbox database;

    @BeforeAll
    static void makeTables() throws SQLException {
        database = TestOutbox.create();
    }

    static Stream<String> statements() {
        return pages().flatMap(page -> page.blocks("sql").stream());
    }

    private static Stream<DocsPage> pages() {
        return DocsPage.all().stream()
                .filter(page -> page.toString().equals("docs/operations.md")
                        || page.path().startsWith("docs/runbooks"));
    }

    @Test
    void each_page_has_something_to_ask_the_database() {
        List<DocsPage> without =
                pages().filter(page -> page.blocks("sql").isEmpty()).toList();

        assertThat(without).isEmpty();
        assertThat(statements()).hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @MethodSource("statements")
    void a_statement_in_the_pages_runs(String sql) {
        assertThatCode(() -> database.execute(sql)).doesNotThrowAnyException();
    }
}
