package dev.caravan.lab.history.plan;

import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.lab.history.plan.HistoryOptions.StartAt;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws a history from a seed. */
public final class RandomHistory {
    public static final int WRITERS = 4;
    static final int KEYS = 3;
    private static final String[] TYPES = {"order.*", "other", "*"};
    private static final int[] MILLIS = {20, 20, 60, 120, 300, 1_100, 5_000, 35_000, 101_000};
    private static final StepKind[] RARE_BY_WRITERS = {
        StepKind.INSERT_OTHER_TYPE,
        StepKind.DRAW,
        StepKind.UNDONE_INSERT,
        StepKind.ROLL_BACK,
        StepKind.PREPARE,
        StepKind.COMMIT_PREPARED,
        StepKind.COMMIT_PREPARED,
        StepKind.ROLL_BACK_PREPARED
    };
    private static final StepKind[] ANSWERS = {
        StepKind.ACCEPTED,
        StepKind.ACCEPTED,
        StepKind.ACCEPTED,
        StepKind.FAILED,
        StepKind.FAILED,
        StepKind.POISON,
        StepKind.UNAVAILABLE,
        StepKind.ANSWER_LOST,
        StepKind.ARRIVES
    };
    private static final StepKind[] FAILURES = {
        StepKind.FAIL,
        StepKind.LOSE_ANSWER,
        StepKind.LOSE_ANSWER,
        StepKind.CUT,
        StepKind.SERVER_NOTICES,
        StepKind.CRASH,
        StepKind.STOP,
        StepKind.REFUSE,
        StepKind.ACCEPT,
        StepKind.ACCEPT
    };
    private static final StepKind[] BY_PEOPLE = {
        StepKind.PAUSE,
        StepKind.RESUME,
        StepKind.RESUME,
        StepKind.RESUME,
        StepKind.RETRY_DEAD,
        StepKind.RETRY_DEAD,
        StepKind.DISCARD,
        StepKind.UNDO_DISCARD,
        StepKind.RETRY_WAITING,
        StepKind.GIVE_UP,
        StepKind.REPLAY
    };

    private final Random random;
    /** Draws the steps that are added at the end, so that they do not change the other steps of a seed. */
    private final Random later;
    /** Draws what only histories of several subscriptions have, so that a seed with one has the same steps as without them. */
    private final Random several;

    private final List<Step> steps = new ArrayList<>();
    private final List<HistoryOptions> subscriptions = new ArrayList<>();
    private final int lanes;
    private final boolean sharesReads;
    private final boolean strict;
    /** Some histories have no failures, some no people, and a few restore the outbox, change the lanes or replace the database. */
    private final boolean withoutFailures;

    private final boolean hasPeople;
    private final boolean restoresOutbox;
    private final boolean changesLanes;
    private final boolean replacesDatabase;

    private RandomHistory(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L); // consecutive seeds would give similar first values
        later = new Random(~seed * 0x9E3779B97F4A7C15L);
        several = new Random(seed * 0xC2B2AE3D27D4EB4FL);
        HistoryOptions options = drawOptions(random, "order.*");
        subscriptions.add(options);
        for (int more = Math.max(0, several.nextInt(5) - 2); more > 0; more--) {
            subscriptions.add(drawOptions(several, TYPES[several.nextInt(TYPES.length)]));
        }
        lanes = subscriptions.stream().mapToInt(HistoryOptions::lanes).sum();
        sharesReads = several.nextInt(3) > 0;
        strict = options.order() == Order.strict;
        withoutFailures = random.nextInt(strict ? 2 : 6) == 0; // a failure stops a strict subscription
        hasPeople = random.nextInt(3) > 0;
        changesLanes = !strict && hasPeople && random.nextInt(3) == 0;
        restoresOutbox = !changesLanes && lanes == 1 && random.nextInt(5) == 0;
        replacesDatabase = !changesLanes && !restoresOutbox && random.nextInt(4) == 0;
    }

    public static HistoryPlan of(long seed) {
        return new RandomHistory(seed).draw();
    }

    private static HistoryOptions drawOptions(Random random, String types) {
        Order order = one(
                random,
                Order.none,
                Order.none,
                Order.strict,
                Order.strict,
                Order.strict,
                Order.key,
                Order.key,
                Order.key,
                Order.key,
                Order.key);
        int batch = 1 + random.nextInt(order == Order.strict ? 3 : 4);
        return new HistoryOptions(
                types,
                order,
                order == Order.key && random.nextInt(5) == 0,
                random.nextBoolean() ? OnDead.CONTINUE : OnDead.BLOCK,
                1 + random.nextInt(3),
                batch,
                batch + (random.nextBoolean() ? 0 : random.nextInt(5)),
                order == Order.strict ? 1 : 1 + Math.max(0, random.nextInt(5) - 2),
                1 + random.nextInt(3),
                random.nextBoolean() ? 10 : 100,
                StartAt.values()[Math.max(0, random.nextInt(5) - 2)]);
    }

    private HistoryPlan draw() {
        int count = 20 + random.nextInt(130);
        while (steps.size() < count) {
            addSteps();
        }
        if (later.nextInt(6) == 0) {
            Step setBack = new Step(StepKind.SET_CLOCK_BACK, 0, MILLIS[later.nextInt(MILLIS.length)], 0);
            steps.add(later.nextInt(steps.size()), setBack);
        }
        for (int rejections = withoutFailures ? 0 : later.nextInt(5); rejections > 0; rejections--) {
            addRejection();
        }
        for (int rounds = mayPrune() ? later.nextInt(3) : 0; rounds > 0; rounds--) {
            steps.add(later.nextInt(steps.size()), new Step(StepKind.PRUNE, 0, 0, 0));
        }
        return new HistoryPlan(List.copyOf(subscriptions), sharesReads, List.copyOf(steps));
    }

    /** A replica or a backup may contain messages of a pruned partition, which does not exist any more. */
    private boolean mayPrune() {
        return !restoresOutbox && !replacesDatabase && later.nextInt(3) == 0;
    }

    private void addRejection() {
        StepKind kind = later.nextBoolean() ? StepKind.REJECT : StepKind.REJECT_DATA;
        steps.add(
                later.nextInt(steps.size()),
                new Step(kind, later.nextInt(5) / 4, later.nextInt(lanes), later.nextInt(12)));
    }

    /** Adds a few steps that belong together. */
    private void addSteps() {
        int kind = random.nextInt(100);
        if (kind < (strict ? 20 : 26)) {
            addWriterSteps();
        } else if (kind < 30) {
            addOverlappingTransactions(lane());
        } else if (kind < 38) {
            add(StepKind.TIME, 0, MILLIS[random.nextInt(MILLIS.length - (withoutFailures ? 1 : 0))], 0);
        } else if (kind < 82) {
            addRelaySteps(random.nextInt(6) == 0 ? 1 : 0, lane());
        } else if (kind < 92) {
            addFailure(random.nextInt(5) == 0 ? 1 : 0, lane());
        } else if (restoresOutbox && random.nextInt(3) == 0) {
            add(StepKind.SET_BACK, 0, 1 + random.nextInt(6), 0);
        } else if (changesLanes && random.nextInt(3) == 0) {
            addChangeOfLanes();
        } else if (replacesDatabase && random.nextInt(3) == 0) {
            addReplacementOfDatabase();
        } else if (hasPeople) {
            StepKind command = one(BY_PEOPLE);
            add(command, subscription(), random.nextInt(command == StepKind.REPLAY ? 20 : 3), 0);
        }
    }

    private void addWriterSteps() {
        int writer = random.nextInt(WRITERS);
        int kind = random.nextInt(10);
        if (kind < 2) {
            add(one(RARE_BY_WRITERS), writer, random.nextInt(KEYS), 0);
            return;
        }
        if (kind < 8) {
            insert(writer, random.nextInt(KEYS), Math.max(0, random.nextInt(6) - 3));
        }
        if (kind > 3) {
            add(StepKind.COMMIT, writer, 0, 0);
        }
    }

    /** Ids become visible in descending order, some of them between two statements of a relay. */
    private void addOverlappingTransactions(int lane) {
        int writer = random.nextInt(WRITERS);
        int key = random.nextInt(KEYS);
        int count = one(2, 3, 3);
        for (int i = 0; i < count; i++) {
            insert((writer + i) % WRITERS, (key + i) % KEYS, random.nextInt(3));
        }
        for (int i = count - 1; i >= 0; i--) {
            add(StepKind.COMMIT, (writer + i) % WRITERS, 0, 0);
            add(StepKind.TURN, 0, lane, 0);
            if (random.nextBoolean()) {
                add(StepKind.PART, 0, lane, 1 + random.nextInt(2));
            }
        }
        add(StepKind.TURN, 0, lane, 0);
        add(StepKind.DELIVER, 0, lane, random.nextInt(6));
    }

    private void addRelaySteps(int relay, int lane) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            add(StepKind.PART, relay, lane, 1 + random.nextInt(6));
            return;
        }
        add(StepKind.TURN, relay, lane, 0);
        if (kind < 4) {
            add(StepKind.DELIVER, relay, lane, random.nextInt(4));
        } else if (kind < 8) {
            add(kind == 7 ? StepKind.TAKE : StepKind.SEND, relay, lane, 0);
        }
        if (kind > 4) {
            StepKind answer = withoutFailures ? StepKind.ACCEPTED : one(ANSWERS);
            add(answer, relay, random.nextInt(2), 0);
            if (answer == StepKind.UNAVAILABLE && random.nextInt(3) > 0) {
                add(StepKind.TIME, 0, 1_100, 0); // until the first probe
            }
        }
    }

    /** Often, a relay has read messages that the replica does not have, and the replica assigns their ids again. */
    private void addReplacementOfDatabase() {
        add(StepKind.REPLICATE, 0, 0, 0);
        for (int i = random.nextInt(4); i > 0; i--) {
            addSteps();
        }
        addInsertAndCommit();
        add(StepKind.PART, 0, lane(), 1 + random.nextInt(3));
        add(StepKind.PROMOTE, 0, 0, Math.max(0, random.nextInt(5) - 2));
        addInsertAndCommit();
        if (random.nextBoolean()) {
            add(StepKind.TIME, 0, MILLIS[MILLIS.length - 1], 0); // until the lease in the replica has ended
        }
    }

    private void addInsertAndCommit() {
        int writer = random.nextInt(WRITERS);
        insert(writer, random.nextInt(KEYS), random.nextInt(3));
        add(StepKind.COMMIT, writer, 0, 0);
    }

    /** The command repeats its check while the relays finish; then the relays are restarted with the new number. */
    private void addChangeOfLanes() {
        int wanted = random.nextInt(3);
        for (int asked = 0; asked < 4; asked++) {
            add(StepKind.CHANGE_LANES, 0, 0, wanted);
            for (int lane = 0; lane < 3; lane++) {
                addRelaySteps(random.nextInt(4) == 0 ? 1 : 0, lane);
                add(StepKind.DELIVER, 0, lane, random.nextInt(5));
            }
            add(StepKind.TIME, 0, 300, 0);
        }
        add(StepKind.STOP, random.nextInt(2), 0, 0);
        add(StepKind.STOP, 0, 0, 0);
    }

    private void addFailure(int relay, int lane) {
        if (withoutFailures) {
            return;
        }
        StepKind kind = one(FAILURES);
        add(kind, relay, lane, random.nextInt(7));
        if ((kind == StepKind.CRASH || kind == StepKind.CUT) && random.nextInt(3) > 0) {
            add(StepKind.TIME, 0, MILLIS[MILLIS.length - 1], 0); // otherwise little happens until the lease has ended
        }
    }

    /** One of the lanes of all subscriptions, rarely one of the last: these are behind. Or the tail, which has the number after them. */
    private int lane() {
        int lane = random.nextInt(lanes);
        if (sharesReads && several.nextInt(3) == 0) {
            return lanes;
        }
        return hasSeveral() ? Math.min(lane, several.nextInt(lanes)) : lane;
    }

    private int subscription() {
        return hasSeveral() ? several.nextInt(subscriptions.size()) : 0;
    }

    private void insert(int writer, int key, int more) {
        boolean other = hasSeveral() && several.nextInt(4) == 0;
        add(other ? StepKind.INSERT_OTHER_TYPE : StepKind.INSERT, writer, key, more);
    }

    private boolean hasSeveral() {
        return subscriptions.size() > 1;
    }

    private void add(StepKind kind, int who, int what, int more) {
        steps.add(new Step(kind, who, what, more));
    }

    @SafeVarargs
    private <T> T one(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    @SafeVarargs
    private static <T> T one(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
