package dev.caravan.operate.explain;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The gaps of a subscription.
 *
 * @param notDelivered number of messages in the gaps: read and not delivered yet
 * @param missing number of ids in the gaps that no message has
 * @param isComplete whether all gaps were examined; otherwise the numbers are lower bounds
 * @param ranges the first ranges of missing ids, as JSON
 */
public record Gaps(long notDelivered, long missing, boolean isComplete, String ranges) {
    private static final int EXAMINED_RANGES = 10_000;
    private static final int EXAMINED_MESSAGES = 100_000;
    private static final int SHOWN_RANGES = 100;

    public static Gaps of(DataSource database, String subscription) throws SQLException {
        return Transaction.run(
                        database,
                        connection -> Statement.query(
                                connection,
                                "operate/gaps",
                                Gaps::of,
                                subscription,
                                EXAMINED_RANGES,
                                EXAMINED_MESSAGES,
                                SHOWN_RANGES))
                .get(0);
    }

    private static Gaps of(ResultSet row) throws SQLException {
        return new Gaps(
                row.getLong("not_delivered"), row.getLong("missing"), !row.getBoolean("more"), row.getString("ranges"));
    }

    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("gapRanges", new RawValue(ranges));
        fields.put("missingIds", missing);
        fields.put("undeliveredInGaps", notDelivered);
        fields.put("gapsComplete", isComplete);
        return fields;
    }
}
