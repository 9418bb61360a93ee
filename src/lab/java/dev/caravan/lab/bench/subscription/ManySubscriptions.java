package dev.caravan.lab.bench.subscription;

import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Measures what many subscriptions of one relay cost, compared with few. */
public final class ManySubscriptions extends Scenario {
    /** Each message is delivered so many times. */
    private static final int MOST_THAT_WANT_ALL = 10;

    private List<Integer> numbers = List.of();

    /** Not included: a round takes minutes, so it runs only on request. */
    @Override
    public boolean isPartOfAll() {
        return false;
    }

    public ManySubscriptions() {
        super(
                "subscriptions",
                "A relay has as many subscriptions as --subscriptions says. Idle: its start, statements, processor time, connections"
                        + " and threads for --seconds while nothing is written, and the statements of a second relay (standby). Under"
                        + " load: 500 messages per second, of which each subscription wants one in N, or all (up to 10 subscriptions):"
                        + " per message the rows of the outbox that are read, transactions and processor time, then the threads, and the time"
                        + " from commit to append. With the highest number: one of them delivers a backlog (200,000, then with a rate of 2,000/s) beside the"
                        + " others, which are current. Last, one relay and eight relays with the 24 lanes of one subscription.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        numbers = bench.size().subscriptions();
        for (int subscriptions : numbers) {
            IdleRelay.measure(bench, subscriptions, figures);
        }
        for (int subscriptions : numbers) {
            LoadedRelay.oneIn(bench, subscriptions, figures);
            if (subscriptions > 1 && subscriptions <= MOST_THAT_WANT_ALL) {
                LoadedRelay.allOf(bench, subscriptions, figures);
            }
        }
        if (most() > 1) {
            BesideBacklog.measure(bench, most(), figures);
        }
        SharedLanes.measure(bench, figures);
    }

    private int least() {
        return numbers.get(0);
    }

    private int most() {
        return numbers.get(numbers.size() - 1);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        String few = IdleRelay.row(least());
        String many = IdleRelay.row(most());
        List<Goal> goals = new ArrayList<>(List.of(
                Goal.atMost("idle: statements, " + relative(), 3, figures.ratio(many, few, IdleRelay.STATEMENTS)),
                Goal.atMost("idle: processor time, " + relative(), 2, figures.ratio(many, few, IdleRelay.BOTH_CPU)),
                Goal.atMost("idle: connections", 15, median(figures, many, IdleRelay.CONNECTIONS)),
                Goal.atMost("idle: threads", 60, median(figures, many, IdleRelay.THREADS)),
                startGoal("start: seconds", figures, IdleRelay.START),
                startGoal("start: seconds of processor time", figures, IdleRelay.START_CPU),
                Goal.atMost(
                        "standby: statements, " + relative(),
                        3,
                        figures.ratio(IdleRelay.standby(most()), IdleRelay.standby(least()), IdleRelay.STATEMENTS)),
                Goal.atMost(
                        "rows read per message of which each wants one in " + most(),
                        1.1,
                        median(figures, LoadedRelay.oneIn(most()), LoadedRelay.ROWS)),
                Goal.atMost(
                        "statements of eight relays, relative to those of one",
                        2,
                        figures.ratio(SharedLanes.EIGHT, SharedLanes.ONE, IdleRelay.STATEMENTS))));
        if (most() > 1) {
            goals.add(p99Goal("a backlog", figures, BesideBacklog.BESIDE));
            goals.add(p99Goal("a backlog with a rate", figures, BesideBacklog.BESIDE_LIMITED));
        }
        return goals;
    }

    private Goal startGoal(String what, Figures figures, Figure figure) {
        double few = median(figures, IdleRelay.row(least()), figure);
        double many = median(figures, IdleRelay.row(most()), figure);
        return Goal.atMost(what + ", more than three times those of " + least(), 10, many - 3 * few);
    }

    private static Goal p99Goal(String what, Figures figures, String row) {
        double ratio = figures.ratio(row, BesideBacklog.before(row), BesideBacklog.P99);
        return Goal.atMost("p99 beside " + what + ", relative to that before", 1.2, ratio);
    }

    private String relative() {
        return "%d relative to %d".formatted(most(), least());
    }

    private static double median(Figures figures, String row, Figure figure) {
        return figures.of(row, figure).median();
    }
}
