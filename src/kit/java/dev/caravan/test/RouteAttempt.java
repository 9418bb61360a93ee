package dev.caravan.test;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import dev.caravan.routes.tryout.DryRun.Attempt;
import dev.caravan.routes.tryout.Recorded;
import java.util.List;
import java.util.Optional;

/**
 * The part of an attempt that concerns one of its messages.
 *
 * @param result empty if the route did not end in time
 * @param messages number of messages that were sent with the same exchange
 */
record RouteAttempt(Optional<Result> result, int messages, boolean repeat, List<Recorded> recorded) {
    RouteAttempt(List<Delivery> deliveries, int index, Attempt attempt) {
        this(
                attempt.end().map(end -> end.results().get(index)),
                deliveries.size(),
                attempt.end().filter(end -> end.repeat()).isPresent(),
                attempt.recorded());
    }
}
