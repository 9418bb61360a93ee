package dev.caravan.lab.history;

import dev.caravan.lab.history.plan.Step;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.replay.ReplayFilter;
import dev.caravan.operate.subscription.HaltedSubscription;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Refusal;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Runs the commands of the people who operate a subscription. A command that must wait for a lock of a relay, or is refused, has no effect. */
final class People {
    private static final Actor ACTOR = new Actor("anna", Optional.of("history"));
    /** SQLSTATE of a lock that is not available, and of a message that the database refuses to store. */
    private static final Set<String> NO_EFFECT = Set.of("55P03", "23514");

    private static final String DEAD = "select id, (extract(epoch from last_failed_at) * 1000000)::bigint"
            + " from outbox_dead_letter where subscription = ? order by id";
    private static final String DISCARDED = "select id, (extract(epoch from discarded_at) * 1000000)::bigint"
            + " from outbox_discarded where subscription = ? order by id";
    private static final String STORED = "select id from outbox_retry where subscription = ?";
    private static final String WAITING = "select id, (extract(epoch from next_attempt_at) * 1000000)::bigint"
            + " from outbox_retry where subscription = ? and not blocked order by id";

    private final String subscription;
    private final HistoryDatabase database;
    private final DataSource connections;
    private final ExpectedMessages messages;
    private int lanes;

    private record Version(long id, long micros) {}

    private interface Command {
        int change(Selection.Chunk chunk, Actor actor) throws SQLException;
    }

    /** @param lanes the number of lanes of the subscription */
    People(String subscription, HistoryDatabase database, ExpectedMessages messages, int lanes) {
        this.subscription = subscription;
        this.lanes = lanes;
        this.database = database;
        this.connections = database.people();
        this.messages = messages;
    }

    void step(Step step) throws SQLException {
        try {
            switch (step.kind()) {
                case PAUSE -> new Subscriptions(connections).pause(subscription, ACTOR);
                case RESUME -> new Subscriptions(connections).resume(subscription, ACTOR);
                case RETRY_DEAD -> retryDead(step.what());
                case DISCARD -> {
                    ExpectedMessage changed = change(
                            DEAD, step.what(), (chunk, actor) -> discards().discard(chunk, UUID.randomUUID(), actor));
                    if (changed != null) {
                        changed.discarded = true;
                    }
                }
                case UNDO_DISCARD -> {
                    ExpectedMessage changed = change(DISCARDED, step.what(), discards()::undo);
                    if (changed != null) {
                        changed.discarded = false;
                    }
                }
                case RETRY_WAITING -> {
                    change(WAITING, step.what(), new Retries(connections)::retry);
                }
                case REPLAY -> replay(step.what());
                case CHANGE_LANES -> changeLanes(1 + step.more());
                case GIVE_UP -> {
                    ExpectedMessage changed = change(WAITING, step.what(), new Retries(connections)::giveUp);
                    if (changed != null) {
                        changed.wasDead = true;
                        changed.touchedByPerson = true;
                    }
                }
                default -> throw new IllegalArgumentException("not a step of a person: " + step);
            }
        } catch (Refusal e) {
            // no effect
        } catch (SQLException e) {
            if (!NO_EFFECT.contains(e.getSQLState())) {
                throw e;
            }
        }
    }

    private Discards discards() {
        return new Discards(connections, Duration.ofDays(7));
    }

    /** Retries one of the dead letters; no effect if there is none. */
    private void retryDead(int index) throws SQLException {
        ExpectedMessage changed = change(DEAD, index, new DeadLetters(connections)::retry);
        if (changed != null) {
            changed.touchedByPerson = true;
        }
    }

    /** Copies delivered messages for another delivery. */
    private void replay(long fromId) throws SQLException {
        Set<Long> before = stored();
        ReplayFilter filter = new ReplayFilter(
                Optional.of(fromId),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        Replay replay = Replay.of(connections, subscription, filter, false);
        Jobs jobs = new Jobs(connections);
        jobs.stepAll(); // continues a replay that was cut off
        jobs.run(new Jobs.Task("replay", Optional.of(subscription), replay.details()), ACTOR);
        Set<Long> copied = stored();
        copied.removeAll(before);
        copied.forEach(id -> messages.find(id).touchedByPerson = true);
    }

    private Set<Long> stored() {
        return new HashSet<>(database.jdbc().queryForList(STORED, Long.class, subscription));
    }

    private void changeLanes(int wanted) throws SQLException {
        if (new LaneChange(connections, subscription, wanted, ACTOR).advance().done()) {
            lanes = wanted;
        }
    }

    /** The number of lanes with which relays start from now on. */
    int lanes() {
        return lanes;
    }

    private ExpectedMessage change(String query, int index, Command command) throws SQLException {
        List<Version> found =
                database.jdbc().query(query, (row, n) -> new Version(row.getLong(1), row.getLong(2)), subscription);
        if (found.isEmpty()) {
            return null;
        }
        Version one = found.get(index % found.size());
        int changed = command.change(
                new Selection.Chunk(subscription, new long[] {one.id()}, new long[] {one.micros()}), ACTOR);
        return changed > 0 ? messages.find(one.id()) : null;
    }

    /** Resumes a halted subscription after the last id that the restored outbox had. */
    void resumeAfter(long id) throws SQLException {
        new HaltedSubscription(connections, subscription).resume(id, ACTOR);
    }
}
