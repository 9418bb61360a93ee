package dev.caravan.api;

import dev.caravan.http.Answer;
import dev.caravan.http.Call;
import dev.caravan.http.HttpProblem;
import dev.caravan.http.Operation;
import dev.caravan.json.Mask;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** What is asked about messages of the outbox. */
final class MessageOperations {
    private final Messages messages;
    private final Mask mask;

    MessageOperations(DataSource database, Mask mask) {
        this.messages = new Messages(database);
        this.mask = mask;
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/messages", Set.of("key", "messageId", "type", "before"), this::find),
                Operation.get("/api/messages/{id}", Set.of("payload"), this::show));
    }

    private Answer find(Call call) throws SQLException {
        var wanted = new Messages.Wanted(call.key("key"), call.uuid("messageId"), call.text("type"));
        return Answer.of(messages.find(wanted, call.id("before")));
    }

    private Answer show(Call call) throws SQLException {
        long id = call.pathId("id");
        return Answer.of(messages.show(id, DeadLetterOperations.shown(call, mask))
                .orElseThrow(() -> HttpProblem.missing("There is no message " + id
                        + " in the outbox, among the retries or the dead letters: it was rolled back, is not committed yet,"
                        + " or was pruned.")));
    }
}
