package dev.caravan.operate.explain;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The gaps of a subscription.
 *
 * @param notDelivered number of messages in the gaps: read and not delivered yet
 * @param missing number of ids in the gaps that no message has
 * @param isComplete whether all gaps were examined; otherwise the numbers are lower bounds
 * @param ranges the first ranges of missing ids, as JSON
 */
@JsonPropertyOrder({"gapRanges", "missingIds", "undeliveredInGaps", "gapsComplete"})
public record Gaps(
        @JsonProperty("undeliveredInGaps") long notDelivered,
        @JsonProperty("missingIds") long missing,
        @JsonProperty("gapsComplete") boolean isComplete,
        @JsonProperty("gapRanges") @JsonRawValue String ranges) {
    private static final int EXAMINED_RANGES = 10_000;
    private static final int EXAMINED_MESSAGES = 100_000;
    private static final int SHOWN_RANGES = 100;

    public static Gaps of(DataSource database, String subscription) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("operate/gaps")
                .with("subscription", subscription)
                .with("ranges", EXAMINED_RANGES)
                .with("messages", EXAMINED_MESSAGES)
                .with("shown", SHOWN_RANGES)
                .first(connection, Gaps.class)
                .orElseThrow());
    }
}
