package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Mask;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Role;
import dev.caravan.console.http.Values;
import dev.caravan.database.DatabaseClock;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterGroups;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.DeliveredSince;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.ErrorGroup;
import dev.caravan.operate.failed.GroupMarks;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Page;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.failed.SortOrder;
import dev.caravan.operate.list.Parts;
import dev.caravan.operate.list.RowFormat;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The operations on dead letters. */
final class DeadLetterOperations {
    private static final Set<String> FILTER = Set.of("subscription", "type", "key", "error", "since", "until", "group");
    private static final String GROUP = "a group: 16 hexadecimal digits";
    private static final String ONE = "/api/dead-letters/{subscription}/{id}";

    private final DataSource database;
    private final JobRunner jobs;
    private final Mask mask;
    private final Optional<Trials> trials;
    private final Discards discards;
    private final DeadLetters deadLetters;

    /** @param trials empty where no routes run */
    DeadLetterOperations(DataSource database, JobRunner jobs, Mask mask, Optional<Trials> trials, Discards discards) {
        this.database = database;
        this.jobs = jobs;
        this.mask = mask;
        this.trials = trials;
        this.discards = discards;
        deadLetters = new DeadLetters(database);
    }

    List<Operation> all() {
        return List.of(
                Operation.get(
                        "/api/dead-letters",
                        with(FILTER, "messageId", "sort", "limit", "after", "format", "payload"),
                        this::list),
                Operation.get("/api/dead-letters/groups", FILTER, this::groups),
                Operation.post(
                        "/api/dead-letters/bulk",
                        Set.of("action", "filter", "all", "rate", "reason", "by", "dryRun"),
                        this::bulk),
                Operation.post(
                                "/api/dead-letters/groups/{subscription}/{group}",
                                Set.of("known", "note", "reason", "by"),
                                this::mark)
                        .countedAs("mark"),
                Operation.get(ONE, Set.of("payload"), this::show),
                Operation.post(ONE + "/retry", Set.of("reason", "by", "edit", "dryRun"), this::retry),
                Operation.post(ONE + "/try", Set.of(), this::attempt).countedAs(""),
                Operation.post(ONE + "/discard", Set.of("reason", "by"), this::discard));
    }

    static Set<String> with(Set<String> names, String... more) {
        Set<String> all = new TreeSet<>(names);
        all.addAll(List.of(more));
        return all;
    }

    private static MessageFilter filter(Values given) {
        return filterOfAll(given).between(given.timeRange()).inGroup(given.parsed("group", ErrorGroup::parse, GROUP));
    }

    /** A filter by what dead letters, waiting and discarded messages have in common. */
    static MessageFilter filterOfAll(Values given) {
        return MessageFilter.of(given.text("subscription"), given.text("type"), given.key("key"), given.text("error"));
    }

    private ApiResponse list(Call call) throws SQLException {
        int limit = call.limit();
        Operations.requireStored(database, call.text("subscription"));
        Optional<RowFormat> format = ListExport.format(call);
        Optional<UUID> messageId = call.uuid("messageId");
        if (messageId.isPresent()) {
            List<DeadLetterSummary> found = ofMessage(call, messageId.get());
            return format.isPresent()
                    ? export(call, format.get(), Parts.of(Integer.MAX_VALUE, last -> found))
                    : ApiResponse.page(found, Optional.empty());
        }
        SortOrder order = ListOrder.of(call, "-lastFailedAt", List.of("lastFailedAt", "id"));
        DeadLetterSearch search = new DeadLetterSearch(database, order);
        if (format.isPresent()) {
            return export(call, format.get(), search.parts(filter(call)));
        }
        Page<DeadLetterSummary> page = search.page(filter(call), ListOrder.after(call, order), limit);
        return ApiResponse.page(page.items(), page.next().map(Cursors::text));
    }

    private ApiResponse export(Call call, RowFormat format, Parts<DeadLetterSummary> letters) throws SQLException {
        return ListExport.withContent(
                call, mask, format, "dead-letters", DeadLetterSummary.COLUMNS, letters, letter -> deadLetters
                        .find(letter.subscription(), letter.id())
                        .map(DeadLetter::content));
    }

    private List<DeadLetterSummary> ofMessage(Call call, UUID messageId) throws SQLException {
        if (Stream.of("type", "key", "error", "since", "until", "group", "sort", "after")
                .anyMatch(name -> call.text(name).isPresent())) {
            throw HttpProblem.wrong("messageId can be combined with subscription only");
        }
        List<DeadLetterSummary> found = new ArrayList<>();
        for (DeadLetters.Place place : deadLetters.ofMessage(messageId)) {
            if (call.text("subscription")
                    .filter(name -> !name.equals(place.subscription()))
                    .isEmpty()) {
                deadLetters
                        .find(place.subscription(), place.id())
                        .map(DeadLetter::summary)
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    record Groups(List<DeadLetterGroups.Group> items, boolean complete, List<Since> deliveredSince) {}

    record Since(@JsonUnwrapped DeliveredSince since, String text) {}

    private ApiResponse groups(Call call) throws SQLException {
        MessageFilter filter = filter(call);
        Operations.requireStored(database, filter.subscription());
        DeadLetterGroups groups = DeadLetterGroups.of(database, filter);
        Instant now = DatabaseClock.now(database);
        return ApiResponse.of(new Groups(
                groups.largest(),
                groups.complete(),
                DeliveredSince.of(database, groups).stream()
                        .map(since -> new Since(since, since.text(now)))
                        .toList()));
    }

    private ApiResponse mark(Call call) throws SQLException {
        String subscription = call.path("subscription");
        ErrorGroup group =
                ErrorGroup.parse(call.path("group")).orElseThrow(() -> HttpProblem.wrong("group must be " + GROUP));
        Body body = call.body();
        Optional<Boolean> known = body.has("known") ? Optional.of(body.flag("known")) : Optional.empty();
        Optional<String> note = body.has("note") ? Optional.of(body.text("note").orElse("")) : Optional.empty();
        if (known.isEmpty() && note.isEmpty()) {
            throw HttpProblem.wrong("known or note is missing. Nothing was changed.");
        }
        if (!new GroupMarks(database).mark(subscription, group, known, note, call.actor())) {
            throw HttpProblem.missing(
                    "No dead letter of " + subscription + " is in the group " + group + ". Nothing was changed.");
        }
        return ApiResponse.changed();
    }

    private ApiResponse show(Call call) throws SQLException {
        DeadLetter letter = find(call);
        return ApiResponse.of(letter.view(history(letter), shown(call, mask)));
    }

    /** What a response contains of payload and headers: the values only on request and with the role operate. */
    static Shown shown(Call call, Mask mask) {
        boolean payload = call.flag("payload");
        if (payload) {
            call.require(Role.OPERATE);
        }
        return payload ? Shown.masked(mask) : Shown.NAMES_ONLY;
    }

    private List<AuditEntry> history(DeadLetter letter) throws SQLException {
        return new Audit(database)
                .ofMessage(letter.summary().subscription(), letter.summary().id());
    }

    private ApiResponse attempt(Call call) throws SQLException {
        DeadLetter letter = find(call);
        return ApiResponse.of(trials.orElseThrow(() -> HttpProblem.conflict("This console runs no routes, so it cannot"
                        + " show what would be sent. Where the route file is: ./caravan try. Nothing was sent."))
                .of(letter, call.role()));
    }

    private DeadLetter find(Call call) throws SQLException {
        String name = call.path("subscription");
        long id = call.pathId("id");
        Optional<DeadLetter> letter = deadLetters.find(name, id);
        return letter.isPresent() ? letter.get() : notFound(call, database, name, id, "is not a dead letter");
    }

    /** @throws HttpProblem always: 404 for a read, 409 for a change. Its text names the last change of the message by a person, if any */
    static <T> T notFound(Call call, DataSource database, String subscription, long id, String what)
            throws SQLException {
        Operations.requireReader(database, subscription);
        List<AuditEntry> history = new Audit(database).ofMessage(subscription, id);
        if (history.isEmpty()) {
            throw HttpProblem.missing(subscription + " " + id + " " + what + ". Nothing was changed.");
        }
        AuditEntry last = history.get(history.size() - 1);
        String text = subscription + " " + id + " " + what + "; last change: " + last.action() + " by " + last.who()
                + " at " + last.at() + ".";
        throw call.changes() ? HttpProblem.conflict(text + " Nothing was changed.") : HttpProblem.missing(text);
    }

    record Retried(boolean changed, List<Edit.Difference> changes) implements ApiResponse.Change {}

    private ApiResponse retry(Call call) throws SQLException {
        Actor by = call.actor();
        boolean dryRun = call.body().flag("dryRun");
        DeadLetter letter = find(call);
        Optional<Body> given = call.body().object("edit");
        Edit edit = given.isPresent() ? Edit.of(given.get(), letter, mask) : Edit.NONE;
        if (!dryRun) {
            retry(letter, edit, by);
        }
        return ApiResponse.of(new Retried(!dryRun, edit.changes()));
    }

    private void retry(DeadLetter letter, Edit edit, Actor by) throws SQLException {
        boolean done = edit.changed().isPresent()
                ? deadLetters.retryEdited(letter, edit.changed().get(), by)
                : deadLetters.retry(Selection.only(letter.summary()), by) == 1;
        requireDone(done, "retry", letter);
    }

    /** @param discard with which the change can be undone; empty if it cannot */
    record Removed(boolean changed, Optional<UUID> discard) {}

    private ApiResponse discard(Call call) throws SQLException {
        Actor by = call.actorWithReason();
        DeadLetter letter = find(call);
        UUID discard = UUID.randomUUID();
        requireDone(discards.discard(Selection.only(letter.summary()), discard, by) == 1, "discard", letter);
        return ApiResponse.of(new Removed(true, Optional.of(discard).filter(id -> discards.canBeUndone())));
    }

    private static void requireDone(boolean done, String verb, DeadLetter letter) {
        Operations.requireDone(done, verb + " " + letter, "retried, discarded, or dead again");
    }

    private ApiResponse bulk(Call call) throws SQLException {
        return Bulk.answer(
                call,
                database,
                jobs,
                new Bulk.Kind(
                        "dead letters",
                        with(FILTER, SelectedIds.FIELD),
                        DeadLetterOperations::filter,
                        new DeadLetterSearch(database),
                        deadLetters::load,
                        List.of("retry", "discard")),
                Optional.of(UUID.randomUUID()).filter(id -> discards.canBeUndone()));
    }
}
