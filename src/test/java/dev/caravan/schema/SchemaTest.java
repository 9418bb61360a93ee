package dev.caravan.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class SchemaTest {
    @Test
    void an_empty_database_gets_all_migrations_once() throws SQLException {
        OutboxDatabase database = OutboxDatabase.empty();

        assertThat(apply(database)).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(apply(database)).isZero();
    }

    @Test
    void tables_made_from_the_printed_script_are_taken_as_they_are() throws SQLException {
        OutboxDatabase database = OutboxDatabase.empty();
        database.execute(Schema.print());

        assertThat(apply(database)).isZero();
        assertThat(new SchemaCheck(database.dataSource).problems()).isEmpty();
    }

    private static int apply(OutboxDatabase database) throws SQLException {
        return new Schema(database.dataSource).apply();
    }
}
