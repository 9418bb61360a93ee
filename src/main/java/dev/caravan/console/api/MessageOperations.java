package dev.caravan.console.api;

import dev.caravan.base.message.Mask;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.operate.explain.Find;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.Subject;
import dev.caravan.operate.explain.Why;
import dev.caravan.operate.list.RowFormat;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** The operations on messages of the outbox. */
final class MessageOperations {
    private final DataSource database;
    private final MessageSearch messages;
    private final Mask mask;
    private final Why why;

    MessageOperations(DataSource database, Mask mask, RecentSamples samples) {
        why = new Why(database, samples::rate);
        this.database = database;
        this.messages = new MessageSearch(database);
        this.mask = mask;
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/messages", Set.of("key", "messageId", "type", "before", "format"), this::find),
                Operation.get("/api/find", Set.of("text", "limit"), this::findAnywhere),
                Operation.get("/api/messages/{id}", Set.of("payload"), this::show),
                Operation.get("/api/outcomes/{subscription}/{id}", Set.of(), this::outcome),
                Operation.get("/api/why/{subject}", Set.of(), this::why));
    }

    private ApiResponse findAnywhere(Call call) throws SQLException {
        String text = call.text("text")
                .map(String::strip)
                .filter(given -> !given.isEmpty())
                .orElseThrow(() -> HttpProblem.wrong("text is missing: an id, a UUID, a key or a part of an error"));
        return ApiResponse.of(Find.of(database, text, call.limit()));
    }

    private ApiResponse find(Call call) throws SQLException {
        var filter = new MessageSearch.Filter(call.key("key"), call.uuid("messageId"), call.text("type"));
        Optional<RowFormat> format = ListExport.format(call);
        return format.isPresent()
                ? ListExport.of(format.get(), "messages", MessageSearch.COLUMNS, messages.parts(filter))
                : ApiResponse.of(messages.find(filter, call.id("before")));
    }

    private ApiResponse why(Call call) throws SQLException {
        return ApiResponse.of(why.of(Subject.parse(call.path("subject"))
                .orElseThrow(() -> HttpProblem.wrong(
                        "The last part of the path must be an id, a message id (a UUID) or a key TYPE/ID with an"
                                + " encoded slash (order%2F77)"))));
    }

    private ApiResponse outcome(Call call) throws SQLException {
        String name = call.path("subscription");
        long id = call.pathId("id");
        Operations.requireReader(database, name);
        return ApiResponse.of(why.outcome(name, id));
    }

    private ApiResponse show(Call call) throws SQLException {
        long id = call.pathId("id");
        Optional<MessageSearch.Details> message = messages.show(id, DeadLetterOperations.shown(call, mask));
        return ApiResponse.of(message.isPresent() ? message.get() : notFound(id));
    }

    /** @throws HttpProblem always */
    private MessageSearch.Details notFound(long id) throws SQLException {
        throw HttpProblem.missing("Message " + id
                + messages.lastChange(id)
                        .map(last -> " is no longer stored; last change: " + last.action() + " in "
                                + last.subscription() + " by " + last.who() + " at " + last.at() + ".")
                        .orElse(" is not in the outbox, waiting, dead or discarded: it was rolled back, is not"
                                + " committed yet, or was pruned."));
    }
}
