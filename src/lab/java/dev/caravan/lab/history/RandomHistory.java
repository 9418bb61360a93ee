package dev.caravan.lab.history;

import dev.caravan.delivery.OnDead;
import dev.caravan.delivery.Order;
import dev.caravan.lab.history.HistoryOptions.StartAt;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws a history from a seed. */
final class RandomHistory {
    static final int WRITERS = 4;
    static final int KEYS = 3;
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
    private static final StepKind[] TROUBLES = {
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
        StepKind.RETRY_WAITING,
        StepKind.GIVE_UP
    };

    private final Random random;
    private final List<Step> steps = new ArrayList<>();
    private final HistoryOptions options;
    /** Some histories have no failures, some no people, and a few restore the outbox. */
    private final boolean calm;

    private final boolean people;
    private final boolean restored;

    private RandomHistory(long seed) {
        random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds would begin alike
        options = drawOptions();
        calm = random.nextInt(6) == 0;
        people = random.nextInt(3) > 0;
        restored = options.lanes() == 1 && random.nextInt(5) == 0;
    }

    static History of(long seed) {
        return new RandomHistory(seed).draw();
    }

    private HistoryOptions drawOptions() {
        Order order = random.nextInt(4) == 0 ? Order.none : random.nextInt(3) == 0 ? Order.strict : Order.key;
        int batch = 1 + random.nextInt(4);
        return new HistoryOptions(
                order,
                order == Order.key && random.nextInt(5) == 0,
                random.nextBoolean() ? OnDead.CONTINUE : OnDead.BLOCK,
                1 + random.nextInt(3),
                batch,
                batch + random.nextInt(5),
                order == Order.strict ? 1 : 1 + Math.max(0, random.nextInt(5) - 2),
                1 + random.nextInt(3),
                random.nextBoolean() ? 10 : 100,
                StartAt.values()[Math.max(0, random.nextInt(5) - 2)]);
    }

    private History draw() {
        int count = 20 + random.nextInt(130);
        while (steps.size() < count) {
            move();
        }
        return new History(options, List.copyOf(steps));
    }

    /** Adds a few steps that belong together. */
    private void move() {
        int kind = random.nextInt(100);
        if (kind < 30) {
            writersGoOn();
        } else if (kind < 38) {
            add(StepKind.TIME, 0, MILLIS[random.nextInt(MILLIS.length - (calm ? 1 : 0))], 0);
        } else if (kind < 82) {
            relayGoesOn(random.nextInt(6) == 0 ? 1 : 0, random.nextInt(options.lanes()));
        } else if (kind < 92) {
            trouble(random.nextInt(5) == 0 ? 1 : 0, random.nextInt(options.lanes()));
        } else if (restored && random.nextInt(3) == 0) {
            add(StepKind.SET_BACK, 0, 1 + random.nextInt(6), 0);
        } else if (people) {
            add(one(BY_PEOPLE), 0, random.nextInt(3), 0);
        }
    }

    private void writersGoOn() {
        int writer = random.nextInt(WRITERS);
        int kind = random.nextInt(10);
        if (kind < 2) {
            add(one(RARE_BY_WRITERS), writer, random.nextInt(KEYS), 0);
            return;
        }
        if (kind < 8) {
            add(StepKind.INSERT, writer, random.nextInt(KEYS), Math.max(0, random.nextInt(6) - 3));
        }
        if (kind > 3) {
            add(StepKind.COMMIT, writer, 0, 0);
        }
    }

    private void relayGoesOn(int relay, int lane) {
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
            StepKind answer = calm ? StepKind.ACCEPTED : one(ANSWERS);
            add(answer, relay, random.nextInt(2), 0);
            if (answer == StepKind.UNAVAILABLE && random.nextInt(3) > 0) {
                add(StepKind.TIME, 0, 1_100, 0); // until the first probe
            }
        }
    }

    private void trouble(int relay, int lane) {
        if (calm) {
            return;
        }
        StepKind kind = one(TROUBLES);
        add(kind, relay, lane, random.nextInt(7));
        if ((kind == StepKind.CRASH || kind == StepKind.CUT) && random.nextInt(3) > 0) {
            add(StepKind.TIME, 0, MILLIS[MILLIS.length - 1], 0); // otherwise little happens until the lease has ended
        }
    }

    private void add(StepKind kind, int who, int what, int more) {
        steps.add(new Step(kind, who, what, more));
    }

    private StepKind one(StepKind... kinds) {
        return kinds[random.nextInt(kinds.length)];
    }
}
