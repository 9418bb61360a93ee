package dev.caravan.lab.history;

import dev.caravan.lab.history.SteppedConnections.OpenTransaction;
import dev.caravan.lab.history.plan.HistoryClock;
import dev.caravan.lab.history.plan.HistoryOptions;
import dev.caravan.lab.history.plan.HistoryPlan;
import dev.caravan.lab.history.plan.RandomHistory;
import dev.caravan.lab.history.plan.Step;
import dev.caravan.lab.history.plan.StepKind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Plays one history: two relays of one to three subscriptions with the real loop and the real statements, writers and people. The steps
 * define the order of all events. Throws a {@link Violation} if a promise is broken.
 */
final class Play implements AutoCloseable {
    private static final int ROUNDS = 200;
    private static final int ROUNDS_BEFORE_A_LOSS = 16;

    private final HistoryPlan history;
    private final HistoryDatabase database;
    private final JdbcTemplate jdbc;
    private final HistoryClock clock = new HistoryClock();
    private final List<PlayedSubscription> subscriptions;
    private final List<ExpectedMessages> messages;
    private final HistoryWriters writers;
    private final Restoration restoration;
    private final Replica replica;
    private final List<OpenTransaction> open = new ArrayList<>();
    private final Relays relays;

    Play(HistoryPlan history, HistoryDatabase database, Mutation mutation) throws SQLException {
        this.history = history;
        this.database = database;
        jdbc = database.jdbc();
        database.reset();
        subscriptions = IntStream.range(0, history.subscriptions().size())
                .mapToObj(i -> PlayedSubscription.of(
                        "subscription" + (i + 1), history.subscriptions().get(i), database))
                .toList();
        messages = subscriptions.stream().map(PlayedSubscription::messages).toList();
        restoration = new Restoration(subscriptions, jdbc);
        replica = new Replica(database, messages);
        writers = new HistoryWriters(database, clock, messages, RandomHistory.WRITERS);
        relays = new Relays(
                Stream.of("a", "b").map(name -> relay(name, mutation)).toList(),
                database,
                clock,
                subscriptions,
                restoration);
    }

    private SteppedRelay relay(String name, Mutation mutation) {
        SteppedRelay[] relay = new SteppedRelay[1];
        SteppedConnections connections = new SteppedConnections(
                database.relays(),
                sql -> mutation.of(sql, subscriptions.get(0).options()),
                open,
                text -> executing(relay[0], text));
        relay[0] = new SteppedRelay(name, database, clock, subscriptions, history.sharesReads(), connections);
        return relay[0];
    }

    /** The tail only lets the lanes compare for themselves. */
    private void executing(SteppedRelay relay, String sql) {
        if (!relay.isTail()) {
            restoration.executing(relay.name(), sql);
        }
    }

    void run() throws SQLException {
        relays.passMillis(0);
        for (Step step : history.steps()) {
            step(step);
            if (restoration.isUndetectable()) {
                return;
            }
        }
        deliverEverything();
    }

    private void step(Step step) throws SQLException {
        relays.settle();
        switch (step.kind()) {
            case INSERT, INSERT_OTHER_TYPE, DRAW, UNDONE_INSERT -> {
                writers.step(step);
                restoration.drawn();
            }
            case COMMIT, COMMIT_PREPARED -> {
                writers.step(step);
                messages.forEach(ExpectedMessages::checkPlaces);
            }
            case ROLL_BACK, PREPARE, ROLL_BACK_PREPARED -> writers.step(step);
            case TIME -> relays.passMillis(step.what());
            case PAUSE, RESUME, RETRY_DEAD, DISCARD, UNDO_DISCARD, RETRY_WAITING, GIVE_UP, REPLAY, CHANGE_LANES ->
                subscriptions.get(step.who() % subscriptions.size()).people().step(step);
            case SERVER_NOTICES -> {
                if (!open.isEmpty()) {
                    open.remove(0).end(step.what() % 2 == 0);
                }
            }
            case SET_CLOCK_BACK -> {
                clock.setBackMillis(step.what());
                relays.passMillis(0);
            }
            case PRUNE -> {
                database.prune();
                messages.forEach(ExpectedMessages::checkPruned);
            }
            case REPLICATE -> replica.replicate();
            case PROMOTE -> promote(step.more());
            case SET_BACK -> {
                writers.endAll(false);
                restoration.setBack(step.what());
            }
            case REFUSE -> refuse(true);
            case ACCEPT -> refuse(false);
            default -> step(step, relays.all().get(step.who()));
        }
    }

    private void promote(int unusedIds) throws SQLException {
        writers.endAll(false);
        open.forEach(transaction -> transaction.end(false));
        open.clear();
        replica.promote(unusedIds, relays.lanes());
        relays.settle();
        messages.forEach(ExpectedMessages::checkPlaces);
    }

    private void refuse(boolean refuses) {
        database.refuse(refuses);
        messages.forEach(each -> each.refused(refuses));
    }

    private void step(Step step, SteppedRelay relay) throws SQLException {
        SteppedLoop loop = relay.loops().get(step.what() % relay.loops().size());
        SteppedLane lane = relay.lanes().get(step.what() % relay.lanes().size());
        switch (step.kind()) {
            case TURN -> relays.turn(loop);
            case PART -> relays.run(loop, step.more(), StatementOutcome.EXECUTED);
            case FAIL -> relays.run(loop, step.more(), StatementOutcome.LOST);
            case LOSE_ANSWER -> relays.run(loop, step.more(), StatementOutcome.NOT_ANSWERED);
            case CUT -> relays.run(loop, step.more(), StatementOutcome.CUT);
            case REJECT -> relays.run(loop, step.more(), StatementOutcome.REJECTED);
            case REJECT_DATA -> relays.run(loop, step.more(), StatementOutcome.REJECTED_DATA);
            case CRASH -> {
                restoration.failed(relay.name());
                relay.kill();
            }
            case STOP -> relays.stop(relay);
            case TAKE -> lane.subscription().destination().take(relay, lane);
            case SEND -> send(relay, lane);
            case DELIVER -> {
                for (int n = 0; n <= step.more(); n++) {
                    PlayedAttempt sent = send(relay, lane);
                    if (sent != null) {
                        sent.destination().answer(relay, sent, StepKind.ACCEPTED);
                    }
                }
            }
            default -> {
                if (!relay.attempts().isEmpty()) {
                    PlayedAttempt attempt =
                            relay.attempts().get(step.what() % relay.attempts().size());
                    attempt.destination().answer(relay, attempt, step.kind());
                }
            }
        }
    }

    private PlayedAttempt send(SteppedRelay relay, SteppedLane lane) {
        PlayedAttempt attempt = lane.subscription().destination().take(relay, lane);
        if (attempt != null) {
            attempt.destination().send(relay, attempt);
        }
        return attempt;
    }

    /** Ends all open transactions and all refusals, and lets both relays work until everything is delivered. */
    private void deliverEverything() throws SQLException {
        relays.settle();
        refuse(false);
        open.forEach(transaction -> transaction.end(true));
        open.clear();
        writers.endAll(true);
        messages.forEach(ExpectedMessages::checkPlaces);
        relays.passMillis(HistoryOptions.LEASE.toMillis() + 1);
        for (int round = 0; !isDone(round); round++) {
            if (round == ROUNDS) {
                throw new Violation("not everything is delivered after all failures have ended: " + state());
            }
            relays.passMillis(round % 8 == 7 ? 31_000 : 150);
            restoration.resume();
            for (PlayedSubscription each : subscriptions) {
                // a relay may have held the lock of the row before
                each.people().step(new Step(StepKind.RESUME, 0, 0, 0));
                each.people().step(new Step(StepKind.RETRY_DEAD, 0, round, 0));
            }
            relays.all().forEach(this::work);
        }
        if (!lost().isEmpty()) {
            throw new Violation("not delivered, although the subscription has passed everything: " + lost());
        }
    }

    private void work(SteppedRelay relay) {
        if (relay.hasOtherLanes()) {
            relays.stop(relay);
        }
        List<SteppedLoop> loops = new ArrayList<>(relay.loops());
        Collections.reverse(loops); // the tail first: otherwise lanes do not follow it after a long time
        for (SteppedLoop loop : loops) {
            relays.turn(loop);
            while (loop instanceof SteppedLane lane && send(relay, lane) != null) {
                acceptAll(relay);
            }
            acceptAll(relay);
            relays.settle();
        }
    }

    private static void acceptAll(SteppedRelay relay) {
        List.copyOf(relay.attempts()).forEach(each -> each.destination().answer(relay, each, StepKind.ACCEPTED));
    }

    /** A relay needs some seconds to detect that the outbox was restored. */
    private boolean isDone(int round) {
        return hasPassedAll() && (lost().isEmpty() || round > ROUNDS_BEFORE_A_LOSS);
    }

    private List<ExpectedMessage> lost() {
        return messages.stream().flatMap(each -> each.lost().stream()).toList();
    }

    private boolean hasPassedAll() {
        return jdbc.queryForObject(
                "select coalesce(bool_and(isempty(gaps) and isempty(coalesce(older_gaps, '{}')) and position >= ?"
                        + " and halted_at is null), false) and count(distinct name) = ?"
                        + " and not exists (select 1 from outbox_retry) and not exists (select 1 from outbox_dead_letter)"
                        + " from outbox_subscription",
                Boolean.class,
                messages.get(0).lastCommitted(),
                subscriptions.size());
    }

    private String state() {
        return jdbc.queryForList("select * from outbox_subscription") + " "
                + jdbc.queryForList("select id, blocked, next_attempt_at from outbox_retry") + " "
                + jdbc.queryForList("select id from outbox_dead_letter") + ", lost " + lost();
    }

    @Override
    public void close() throws SQLException {
        relays.close();
        open.forEach(transaction -> transaction.end(false));
        writers.close();
    }
}
