package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.h2.tools.SimpleResultSet;
import org.junit.jupiter.api.Test;

/** What the drivers of SQL Server and Oracle do not tell, or tell too much. */
class SourceTableTest {
    @Test
    void an_index_of_sql_server_that_contains_a_part_of_the_rows_makes_no_key_unique() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            execute(
                    connection,
                    "create table outbox (id int not null, state int)",
                    "create unique index of_pending on outbox (id)",
                    "create unique index of_all on outbox (id, state)",
                    "create schema sys",
                    "create table sys.indexes (name varchar(50), object_id varchar(50), has_filter int)",
                    "create alias object_id as 'String objectId(String name) { return name; }'",
                    "insert into sys.indexes values ('OF_PENDING', '\"PUBLIC\".\"OUTBOX\"', 1), ('OF_ALL', '\"PUBLIC\".\"OUTBOX\"', 0), ('OF_ALL', 'other', 1)");

            List<SourceTable.Index> indexes =
                    new SourceTable(Dialect.SQL_SERVER, null, "PUBLIC", "OUTBOX", List.of()).indexes(connection);

            assertThat(indexes)
                    .containsExactlyInAnyOrder(
                            new SourceTable.Index(true, true, List.of("ID")),
                            new SourceTable.Index(true, false, List.of("ID", "STATE")));
        }
    }

    @Test
    void the_primary_key_is_that_of_the_schema_although_its_name_is_a_pattern_to_the_driver() throws SQLException {
        SimpleResultSet keys = new SimpleResultSet();
        keys.addColumn("TABLE_SCHEM", Types.VARCHAR, 0, 0);
        keys.addColumn("COLUMN_NAME", Types.VARCHAR, 0, 0);
        keys.addColumn("KEY_SEQ", Types.INTEGER, 0, 0);
        keys.addRow("SHOP_A", "ID", 1);
        keys.addRow("SHOPXA", "OTHER", 1);
        DatabaseMetaData database = answering(DatabaseMetaData.class, keys);

        assertThat(new SourceTable(Dialect.ORACLE, null, "SHOP_A", "OUTBOX", List.of())
                        .primaryKey(answering(Connection.class, database)))
                .containsExactly("ID");
    }

    /** An object whose methods all return the answer. */
    private static <T> T answering(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
    }
}
