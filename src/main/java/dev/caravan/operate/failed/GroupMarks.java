package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** What people note about groups of dead letters: that the cause is known, and a text. */
public final class GroupMarks {
    /**
     * A mark.
     *
     * @param known whether a person knows the cause and works on it
     * @param who the person who wrote it last; empty if nobody did
     */
    public record Mark(
            boolean known,
            Optional<String> note,
            @JsonProperty("markedBy") Optional<String> who,
            @JsonProperty("markedAt") Optional<Instant> at) {
        static final Mark NONE = new Mark(false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    record Described(String pattern, Mark mark) {}

    private final DataSource dataSource;

    public GroupMarks(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Marks a group. An empty value is not changed.
     *
     * @param note the new text; a blank one removes it
     * @return whether the group exists
     */
    public boolean mark(
            String subscription, ErrorGroup group, Optional<Boolean> known, Optional<String> note, Actor actor)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            List<Map<String, Object>> changed = Sql.file("operate/mark_group")
                    .with("known", known.orElse(null))
                    .with("note", note.map(String::strip).orElse(null))
                    .with("who", actor.who())
                    .with("subscription", subscription)
                    .with("group", group.hash())
                    .with("changesKnown", known.isPresent())
                    .with("changesNote", note.isPresent())
                    .query(connection, row -> detail(group, row));
            for (Map<String, Object> detail : changed) {
                Audit.write(connection, "mark", subscription, detail, actor);
            }
            return !changed.isEmpty();
        });
    }

    private static Map<String, Object> detail(ErrorGroup group, ResultSet row) throws SQLException {
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("group", group.toString());
        detail.put("known", row.getBoolean("known"));
        detail.put("note", row.getString("note"));
        return detail;
    }

    /** The pattern and the mark of each group, in their order. */
    List<Described> describe(List<DeadLetterGroups.Group> groups) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/group_marks")
                .withEach("subscriptions", groups, DeadLetterGroups.Group::subscription, String[]::new)
                .withEach("groups", groups, group -> group.group().hash(), Long[]::new)
                .withEach("errors", groups, DeadLetterGroups.Group::error, String[]::new)
                .query(connection, Described.class));
    }
}
