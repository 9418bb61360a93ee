package dev.caravan.lab.demo;

import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * The lag of a subscription.
 *
 * @param backlog ids not delivered yet, including those of types it does not select
 * @param lagSeconds age of the oldest of them; 0 when there is none
 */
record SubscriptionLag(String subscription, long backlog, double lagSeconds) {
    static List<SubscriptionLag> readAll(DataSource database) throws SQLException {
        try (var connection = database.getConnection()) {
            return Sql.rows(
                    connection,
                    DemoSql.read("lag"),
                    row -> new SubscriptionLag(
                            row.getString("name"), row.getLong("backlog"), row.getDouble("lag_seconds")));
        }
    }
}
