package dev.caravan.lab.demo;

import java.sql.SQLException;
import java.util.ArrayList;
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
        List<SubscriptionLag> all = new ArrayList<>();
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(DemoSql.read("lag"))) {
            while (rows.next()) {
                all.add(new SubscriptionLag(
                        rows.getString("name"), rows.getLong("backlog"), rows.getDouble("lag_seconds")));
            }
        }
        return all;
    }
}
