package dev.caravan.operate.partition;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Sentence;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that is tried again and again and may fail for a moment. Warns once when it has failed at all attempts of five minutes: any role that can
 * connect may cause that, for example by a lock or by a view. Not thread-safe.
 */
public final class LastingProblem {
    private static final Logger LOG = LoggerFactory.getLogger(LastingProblem.class);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final String effect;
    private final Clock clock;
    private OptionalLong since = OptionalLong.empty();
    private boolean reported;

    /** @param effect what does not happen, as the start of a sentence */
    public LastingProblem(String effect, Clock clock) {
        this.effect = effect;
        this.clock = clock;
    }

    /** Call it after each attempt. @param reason why the task was not done; empty if it was */
    public void attempted(Optional<String> reason) {
        if (reason.isEmpty()) {
            since = OptionalLong.empty();
            reported = false;
        } else if (since.isEmpty()) {
            since = OptionalLong.of(clock.nanos());
        } else if (!reported && clock.nanos() - since.getAsLong() >= LONG.toNanos()) {
            reported = true;
            LOG.warn("{} for {} minutes: {} This is tried again", effect, LONG.toMinutes(), Sentence.of(reason.get()));
        }
    }
}
