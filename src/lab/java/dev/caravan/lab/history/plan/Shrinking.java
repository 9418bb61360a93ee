package dev.caravan.lab.history.plan;

import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a failing history as short as possible: removes steps, half of them first and single ones last (delta debugging), and
 * then tries fewer subscriptions, simpler options and lower numbers, until the history gets no shorter or the time limit is reached.
 */
public final class Shrinking {
    private final Predicate<HistoryPlan> fails;
    private final long end;
    private HistoryPlan best;

    private Shrinking(HistoryPlan failing, Predicate<HistoryPlan> fails, Duration limit) {
        best = failing;
        this.fails = fails;
        end = Clock.SYSTEM.nanos() + limit.toNanos();
    }

    /** @param fails plays a history and returns whether it also fails */
    public static HistoryPlan of(HistoryPlan failing, Predicate<HistoryPlan> fails, Duration limit) {
        return new Shrinking(failing, fails, limit).shrunk();
    }

    private HistoryPlan shrunk() {
        for (boolean better = true; better; ) {
            better = withFewerSteps() | withSimplerOptions() | withSimplerSteps();
        }
        return best;
    }

    private boolean withFewerSteps() {
        boolean better = false;
        for (int size = Math.max(1, best.steps().size() / 2); size > 0; size /= 2) {
            for (int from = best.steps().size() - size; from > -size; from -= size) {
                List<Step> rest = new ArrayList<>(best.steps());
                rest.subList(Math.max(0, from), Math.min(rest.size(), from + size))
                        .clear();
                better |= accept(best.with(rest));
            }
        }
        return better;
    }

    private boolean withSimplerOptions() {
        boolean better = false;
        while (best.simpler().stream().anyMatch(this::accept)) {
            better = true;
        }
        return better;
    }

    private boolean withSimplerSteps() {
        boolean better = false;
        for (int i = 0; i < best.steps().size(); i++) {
            int at = i;
            while (best.steps().get(at).simpler().stream().anyMatch(simpler -> accept(with(at, simpler)))) {
                better = true;
            }
        }
        return better;
    }

    private HistoryPlan with(int at, Step step) {
        List<Step> changed = new ArrayList<>(best.steps());
        changed.set(at, step);
        return best.with(changed);
    }

    private boolean accept(HistoryPlan candidate) {
        boolean smaller = !candidate.equals(best) && Clock.SYSTEM.nanos() - end < 0 && fails.test(candidate);
        if (smaller) {
            best = candidate;
        }
        return smaller;
    }
}
