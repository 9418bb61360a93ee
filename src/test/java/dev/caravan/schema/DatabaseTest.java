package dev.caravan.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class DatabaseTest {
    /** What is thrown stands in logs soon: in those of the connection pool before anybody can catch it. */
    @Test
    void the_error_of_a_batch_does_not_tell_its_values() throws Exception {
        var server = TestPostgres.server();
        var settings = Settings.load(
                Path.of("none.properties"),
                Map.of(
                        "caravan.db.url", server.url(server.createDatabase()),
                        "caravan.db.user", server.user(),
                        "caravan.db.password", server.password()));
        try (var pool = Database.outboxPool(settings)) {
            List<Object[]> rows = List.of(new Object[] {"confidential"}, new Object[] {"confidential"});

            assertThatThrownBy(() -> new JdbcTemplate(pool).batchUpdate("insert into nothing values (?)", rows))
                    .satisfies(error -> assertThat(error)
                            .hasStackTraceContaining("\"nothing\" does not exist")
                            .matches(e -> !stackTrace(e).contains("confidential"), "tells no value"));
        }
    }

    private static String stackTrace(Throwable error) {
        var text = new java.io.StringWriter();
        error.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }
}
