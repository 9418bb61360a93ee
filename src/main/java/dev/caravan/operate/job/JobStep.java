package dev.caravan.operate.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Sql;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.job.Job.State;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Refusal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * One step of a job, in one transaction that has locked its row: counts messages, changes some of them, or observes the outcome of earlier
 * steps. Sets the new values of the row, which are saved at its end.
 */
final class JobStep {
    private static final int PAGE = 2_000;
    private static final int MAX_PAGES = 10;
    private static final int CHUNK = 1_000;
    private static final double LANES_SECONDS = 60;

    /** The kinds of messages, by their names in the HTTP API. */
    private enum Kind {
        DEAD_LETTERS("dead letters", "operate/job_page_of_dead_letters", "operate/dead_letter_subscriptions"),
        WAITING("retries", "operate/job_page_of_waiting", "operate/waiting_subscriptions"),
        DISCARDED("discarded dead letters", "operate/job_page_of_discarded", "operate/discarded_subscriptions");

        private final String noun;
        private final String page;
        private final String subscriptions;

        Kind(String noun, String page, String subscriptions) {
            this.noun = noun;
            this.page = page;
            this.subscriptions = subscriptions;
        }

        static Kind of(String noun) {
            return Stream.of(values())
                    .filter(kind -> kind.noun.equals(noun))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private record Lanes(boolean stopped, boolean owned, boolean unavailable) {}

    /** Messages to change, and the last id that was examined. */
    private record Found(Selection.Chunk chunk, long lastId, boolean isEnd) {}

    private final Job job;
    private final int permits;
    private final double age;
    private final long audit;
    private final Actor actor;

    private boolean storesDiscarded;
    private State state = State.RUNNING;
    private boolean counting;
    private long total;
    private long done;
    private long forgotten;
    private RetryProgress progress;
    private long[] started;
    private String afterSubscription;
    private long afterId;
    private String waitsFor;
    private String error;

    private JobStep(ResultSet row) throws SQLException {
        job = Job.of(row);
        permits = row.getInt("permits");
        age = row.getDouble("age");
        audit = row.getLong("audit");
        actor = Sql.records(Actor.class).read(row);
        counting = row.getBoolean("counting");
        total = row.getLong("total");
        done = row.getLong("done");
        forgotten = row.getLong("forgotten");
        progress = Sql.records(RetryProgress.class).read(row);
        started = longs(row, "started");
        afterSubscription = row.getString("after_subscription");
        afterId = row.getLong("after_id");
    }

    /**
     * Does nothing if the job is not running, or while another process makes a step.
     *
     * @param storesDiscarded whether to store discarded dead letters, also if the job does not say so
     * @return whether more may be done at once
     */
    static boolean run(Connection connection, long id, boolean storesDiscarded) throws SQLException {
        boolean more = false;
        for (JobStep step : locked(connection, id)) {
            step.storesDiscarded = storesDiscarded;
            more = step.run(connection);
            step.save(connection);
        }
        return more;
    }

    private static List<JobStep> locked(Connection connection, long id) throws SQLException {
        return Sql.file("operate/job_lock")
                .with("id", id)
                .with("most", RetryProgress.MAX_PENDING)
                .query(connection, JobStep::new);
    }

    /** Counts the outcomes of the pending messages of a running bulk retry, without regard to the rule by which it stops. */
    static void countOutcomes(Connection connection, long id) throws SQLException {
        for (JobStep step : locked(connection, id)) {
            step.progress = step.progress.with(step.outcome(connection)).withoutRecent();
            step.save(connection);
        }
    }

    /** Whether a relay makes attempts for a subscription. */
    static boolean isObserved(Connection connection, String subscription) throws SQLException {
        Lanes lanes = lanes(connection, subscription);
        return lanes.owned && !lanes.stopped;
    }

    private static long[] longs(ResultSet row, String column) throws SQLException {
        return Arrays.stream((Long[]) row.getArray(column).getArray())
                .mapToLong(Long::longValue)
                .toArray();
    }

    private boolean run(Connection connection) throws SQLException {
        return switch (job.action()) {
            case "replay" -> counting ? countReplay(connection) : replay(connection);
            case "lanes" -> changeLanes(connection);
            default -> counting ? count(connection) : job.isBulkRetry() ? observe(connection) : change(connection);
        };
    }

    // Changes of messages, in order of subscription and id

    private boolean count(Connection connection) throws SQLException {
        for (int page = 0; page < MAX_PAGES; page++) {
            Optional<String> subscription = current(connection);
            if (subscription.isEmpty()) {
                counted(Long.MIN_VALUE);
                return true;
            }
            Found found = found(connection, subscription.get(), PAGE);
            total += found.chunk.size();
            passed(subscription.get(), found);
        }
        return true;
    }

    /** Begins with the changes. */
    private void counted(long start) {
        counting = false;
        afterSubscription = null;
        afterId = start;
    }

    private boolean change(Connection connection) throws SQLException {
        Optional<String> subscription = current(connection);
        if (subscription.isEmpty()) {
            follow(connection);
            return false;
        }
        int wanted = Math.min(permits, CHUNK);
        if (wanted == 0) {
            return false;
        }
        Found found = found(connection, subscription.get(), wanted);
        if (found.chunk.size() > 0 && isRetryOfDeadLetters() && isObserved(connection, subscription.get())) {
            startBulkRetry(connection, subscription.get());
            return true;
        }
        if (found.chunk.size() > 0) {
            done += changed(connection, found.chunk);
        }
        passed(subscription.get(), found);
        return found.chunk.size() < permits;
    }

    private boolean isRetryOfDeadLetters() {
        return job.action().equals("retry") && kind() == Kind.DEAD_LETTERS;
    }

    private Kind kind() {
        return Kind.of(job.details().path("of").textValue());
    }

    private int changed(Connection connection, Selection.Chunk chunk) throws SQLException {
        return switch (job.action()) {
            case "discard" -> {
                Optional<UUID> discard = discard();
                yield Discards.discard(connection, chunk, discard.orElse(null), discard.isPresent(), actor);
            }
            case "undo-discard" -> Discards.undo(connection, chunk, actor);
            case "give-up" -> Retries.giveUp(connection, chunk, actor);
            default ->
                kind() == Kind.WAITING
                        ? Retries.retry(connection, chunk, actor)
                        : DeadLetters.retry(connection, chunk, actor).size();
        };
    }

    /** The id of the discard; empty if discarded dead letters are deleted at once. */
    private Optional<UUID> discard() {
        return job.discard().isPresent() || !storesDiscarded
                ? job.discard()
                : Optional.of(UUID.nameUUIDFromBytes(
                        ("discard of job " + job.id() + " of " + job.startedAt()).getBytes(StandardCharsets.UTF_8)));
    }

    /** The subscription whose messages are next; empty at the end. Sorted here, because the order of the database depends on its collation. */
    private Optional<String> current(Connection connection) throws SQLException {
        return subscriptions(connection).stream()
                .sorted()
                .filter(name -> afterSubscription == null
                        || name.compareTo(afterSubscription) > 0
                        || (name.equals(afterSubscription) && afterId < Long.MAX_VALUE))
                .findFirst();
    }

    private List<String> subscriptions(Connection connection) throws SQLException {
        if (job.subscription().isPresent()) {
            return List.of(job.name());
        }
        JsonNode ids = filter().path("ids");
        return ids.isObject()
                ? ids.properties().stream().map(Map.Entry::getKey).toList()
                : Sql.file(kind().subscriptions).query(connection, row -> row.getString(1));
    }

    private JsonNode filter() {
        return job.details().path("filter");
    }

    private void passed(String subscription, Found found) {
        afterSubscription = subscription;
        afterId = found.isEnd ? Long.MAX_VALUE : found.lastId;
    }

    /** Reads pages until messages are found that match; one step examines a bounded number. */
    private Found found(Connection connection, String subscription, int wanted) throws SQLException {
        long after = subscription.equals(afterSubscription) ? afterId : Long.MIN_VALUE;
        for (int page = 0; ; page++) {
            long from = after;
            Found found = page(subscription, from)
                    .first(connection, row -> found(row, subscription, from, wanted))
                    .orElseThrow();
            if (found.isEnd || found.chunk.size() > 0 || page == MAX_PAGES) {
                return found;
            }
            after = found.lastId;
        }
    }

    /** Messages that failed, were made due or discarded after the start do not match: what fails again is not changed again. */
    private Sql page(String subscription, long after) {
        return Sql.file(kind().page)
                .with("subscription", subscription)
                .with("after", after)
                .with("ids", ids(subscription))
                .with("rows", PAGE)
                .withKnown(MessageFilter.of(filter()).before(job.startedAt()).parameters());
    }

    /** The messages that a person selected one by one; null for all that match. */
    private long[] ids(String subscription) {
        JsonNode ids = filter().path("ids");
        return ids.isObject()
                ? StreamSupport.stream(ids.path(subscription).spliterator(), false)
                        .mapToLong(JsonNode::longValue)
                        .toArray()
                : null;
    }

    private static Found found(ResultSet row, String subscription, long from, int wanted) throws SQLException {
        long[] ids = longs(row, "ids");
        long[] micros = longs(row, "micros");
        boolean all = ids.length <= wanted;
        int count = Math.min(ids.length, wanted);
        boolean isEnd = all && row.getLong("examined") < PAGE;
        long last = all ? row.getLong("last_id") : ids[count - 1];
        return new Found(
                new Selection.Chunk(subscription, Arrays.copyOf(ids, count), Arrays.copyOf(micros, count)),
                row.getLong("examined") == 0 ? from : last,
                isEnd);
    }

    // Bulk retries

    private void startBulkRetry(Connection connection, String subscription) throws SQLException {
        Map<String, Object> filter = new LinkedHashMap<>(
                MessageFilter.of(filter()).before(job.startedAt()).fields());
        Optional.ofNullable(ids(subscription)).ifPresent(ids -> filter.put("ids", Map.of(subscription, ids)));
        Job retry = Jobs.startBulkRetry(connection, subscription, filter, OptionalLong.empty(), job.rate(), actor);
        started = LongStream.concat(LongStream.of(started), LongStream.of(retry.id()))
                .toArray();
        afterSubscription = subscription;
        afterId = Long.MAX_VALUE;
    }

    /** Ends the job when the bulk retries that it has started have ended. */
    private void follow(Connection connection) throws SQLException {
        List<Job> existing = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (long id : started) {
            Jobs.find(connection, id)
                    .ifPresentOrElse(
                            existing::add,
                            () -> problems.add(
                                    "Bulk retry " + id + " no longer exists: its subscription was deleted."));
        }
        if (existing.stream().anyMatch(each -> each.isRunning() || each.state() == State.PAUSED)) {
            waitsFor = existing.stream()
                    .flatMap(each -> each.waitsFor().stream())
                    .distinct()
                    .collect(Collectors.collectingAndThen(
                            Collectors.joining(", "), text -> text.isEmpty() ? null : text));
            return;
        }
        existing.stream()
                .filter(each -> each.state() != State.DONE)
                .map(Job::statement)
                .forEach(problems::add);
        state = problems.isEmpty() ? State.DONE : State.FAILED;
        error = problems.isEmpty() ? null : String.join(" ", problems);
    }

    private boolean observe(Connection connection) throws SQLException {
        RetryProgress.Outcome outcome = outcome(connection);
        progress = progress.with(outcome);
        if (progress.mustStop()) {
            state = State.STOPPED;
            error = reasonToStop(outcome);
            return false;
        }
        Optional<String> obstacle = obstacle(
                lanes(connection, job.name()),
                Intakes.ofSubscription(job.name()).isPresent());
        int wanted = obstacle.isPresent() ? 0 : Math.min(permits, progress.mayRetry());
        if (wanted > 0) {
            return retry(connection, wanted);
        }
        waitsFor = obstacle.orElse(progress.mayRetry() == 0 ? outcomes() : null);
        return false;
    }

    /** One page of the dead letters bounds what one transaction retries. */
    private boolean retry(Connection connection, int wanted) throws SQLException {
        Found found = found(connection, job.name(), wanted);
        if (found.chunk.size() > 0) {
            progress = progress.retried(DeadLetters.retry(connection, found.chunk, actor));
        }
        afterSubscription = job.name();
        afterId = found.lastId;
        if (found.isEnd && progress.pending().isEmpty()) {
            state = State.DONE;
        } else if (found.isEnd) {
            waitsFor = outcomes();
        }
        return !found.isEnd && found.chunk.size() < wanted;
    }

    private String outcomes() {
        return "the outcome of " + Formatted.counted(progress.pending().size(), "message");
    }

    private String reasonToStop(RetryProgress.Outcome outcome) {
        return progress.recentFailed() + " of the " + (progress.isFirst() ? "first " : "last ") + progress.recent()
                + " failed again"
                + outcome.error()
                        .map(text -> ", with " + text.replaceAll("\\s+", " "))
                        .orElse("");
    }

    private RetryProgress.Outcome outcome(Connection connection) throws SQLException {
        return Sql.file("operate/retry_outcome")
                .with("ids", progress.pending().toArray(Long[]::new))
                .with("subscription", job.name())
                .with("startedAt", job.startedAt())
                .first(connection, RetryProgress.Outcome.class)
                .orElseThrow();
    }

    private static Lanes lanes(Connection connection, String subscription) throws SQLException {
        return Sql.file("operate/job_lanes")
                .with("subscription", subscription)
                .first(connection, Lanes.class)
                .orElseThrow();
    }

    /** Why the subscription or intake makes no attempts now; empty if it makes attempts. */
    private static Optional<String> obstacle(Lanes lanes, boolean isIntake) {
        String reader = isIntake ? "intake" : "subscription";
        if (lanes.stopped) {
            return Optional.of("the " + reader + ", which is paused or halted");
        }
        if (!lanes.owned) {
            return Optional.of("a relay that runs the " + reader);
        }
        return lanes.unavailable
                ? Optional.of("the " + (isIntake ? "source" : "destination") + ", which is unavailable")
                : Optional.empty();
    }

    // Replay

    private boolean countReplay(Connection connection) throws SQLException {
        Replay replay = Replay.of(connection, job.name(), job.details());
        OptionalLong after = OptionalLong.of(Math.max(afterId, replay.start()));
        for (int page = 0; page < MAX_PAGES && after.isPresent(); page++) {
            Replay.Counted counted = replay.countPage(connection, after.getAsLong());
            total += counted.messages();
            after = counted.last();
        }
        if (after.isPresent()) {
            afterId = after.getAsLong();
        } else {
            counted(replay.start());
        }
        return true;
    }

    private boolean replay(Connection connection) throws SQLException {
        int wanted = Math.min(permits, CHUNK);
        if (wanted == 0) {
            return false;
        }
        if (!LaneChange.lockLanes(connection, job.name())) {
            throw new Refusal("Could not continue the replay of " + job.name() + ": the subscription was deleted.");
        }
        Replay replay = Replay.of(connection, job.name(), job.details());
        Replay.Page page = replay.copy(connection, Math.max(afterId, replay.start()), wanted);
        done += page.messages();
        forgotten += page.forgotten();
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("messages", done);
        if (page.last().isPresent()) {
            afterId = page.last().getAsLong();
            detail.put("reachedId", afterId);
        } else {
            state = State.DONE;
            detail.put("finished", true);
        }
        Audit.add(connection, audit, "replay", job.name(), detail);
        return state == State.RUNNING && page.messages() < permits;
    }

    // Lanes

    /** Renews the barrier each time; it expires a few seconds after the last step. */
    private boolean changeLanes(Connection connection) throws SQLException {
        LaneChange.Step step = LaneChange.advance(
                connection, job.name(), job.details().path("lanes").intValue(), actor);
        if (step.done()) {
            done = 1;
            state = State.DONE;
        } else if (age > LANES_SECONDS) {
            LaneChange.removeBarrier(connection, job.name());
            state = State.FAILED;
            error = "Timed out while waiting for " + step.waitsFor()
                    + ". Relays continue with the previous lanes. To continue, start the job again.";
        } else {
            waitsFor = step.waitsFor();
        }
        return false;
    }

    private void save(Connection connection) throws SQLException {
        long changed = job.isBulkRetry() ? progress.retried() : done;
        Sql.file("operate/job_save")
                .with("state", state.text())
                .with("total", total)
                .with("counting", counting)
                .with("done", changed)
                .with("forgotten", forgotten)
                .with("delivered", progress.delivered())
                .with("failed", progress.failed())
                .with("recent", progress.recent())
                .with("recentFailed", progress.recentFailed())
                .with("pending", progress.pending().toArray(Long[]::new))
                .with("started", started)
                .with("afterSubscription", afterSubscription)
                .with("afterId", afterId)
                .with("waitsFor", waitsFor)
                .with("error", error)
                .with("made", changed - job.done())
                .with("id", job.id())
                .update(connection);
    }
}
