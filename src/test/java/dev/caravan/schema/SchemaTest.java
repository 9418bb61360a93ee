package dev.caravan.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.outbox.TestOutbox;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class SchemaTest {
    @Test
    void an_empty_database_gets_all_migrations_once() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();

        assertThat(apply(database)).isEqualTo(Schema.MIGRATIONS.size());
        assertThat(apply(database)).isZero();
    }

    @Test
    void tables_made_from_the_printed_script_are_taken_as_they_are() throws SQLException {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute(Schema.print());

        assertThat(apply(database)).isZero();
        assertThat(new SchemaCheck(database.unpooled()).problems()).isEmpty();
    }

    private static int apply(TestOutbox database) throws SQLException {
        return new Schema(database.unpooled()).apply();
    }
}
