package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.RetrySurvey;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.RetryStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

/** Surveys the side tables for all lanes of this relay by one statement. */
final class Surveys {
    /** People or other tools may change the tables. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** How often due messages are looked for while messages wait. */
    private static final Duration INTERVAL_IN_USE = Duration.ofMillis(200);

    /** @param number the number of the survey for the lane, see {@link Lane#surveyNumber()} */
    private record Begun(Follower loop, Lane lane, long number) {
        static Stream<Begun> of(Follower loop) {
            return Optional.ofNullable(loop.lane()).stream().map(lane -> new Begun(loop, lane, lane.surveyNumber()));
        }

        void answered(RetrySurvey survey) {
            if (lane.surveyed(survey, number)) {
                loop.wake();
            }
        }
    }

    private final Collection<? extends Follower> lanes;
    private final Supplier<LaneConnections> connections;
    private final SharedStatement statement;
    /** Whether messages waited for a lane at the last survey, or wait since. */
    private volatile boolean inUse;
    /** The failure of the last survey; null if it has succeeded. */
    private volatile RuntimeException failure;

    Surveys(Collection<? extends Follower> lanes, Supplier<LaneConnections> connections, Clock clock) {
        this.lanes = lanes;
        this.connections = connections;
        statement = new SharedStatement(clock);
    }

    /**
     * Surveys if it is due. A survey that has failed is repeated at once by the next thread, and other threads fail with it meanwhile. So a
     * lasting failure is one of each lane, and that of one connection is one of the lane whose thread has used it.
     */
    void surveyIfDue(boolean messagesWait) {
        if (messagesWait) {
            inUse = true;
        }
        RuntimeException failed = failure;
        Duration interval = failed != null ? Duration.ZERO : inUse ? INTERVAL_IN_USE : INTERVAL;
        if (!statement.runIfDue(interval, this::survey) && failed != null) {
            throw failed;
        }
    }

    private void survey() {
        try {
            inUse = false;
            surveyLanes();
            failure = null;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    private void surveyLanes() {
        List<Begun> begun = lanes.stream().flatMap(Begun::of).toList();
        if (begun.isEmpty()) {
            return;
        }
        LaneConnections used = connections.get();
        List<RetrySurvey> answers = RetryStore.survey(
                new JdbcTemplate(used),
                begun.stream().map(each -> each.loop().asked()).toList());
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i).waits()) {
                inUse = true;
            }
            if (begun.get(i).loop().connections().haveSameHistoryAs(used)) { // a promoted replica may lack messages
                begun.get(i).answered(answers.get(i));
            }
        }
    }
}
