package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.engine.lane.RetrySurvey;
import dev.caravan.engine.schedule.Order;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Surveys {@code outbox_retry} and {@code outbox_dead_letter} for several lanes by one statement. It needs no transaction, because the sessions of
 * the lanes use no scans that read whole tables ({@link dev.caravan.database.ReadPlans}).
 */
public final class SurveyStore {
    /**
     * A lane to survey.
     *
     * @param deadLettersBlock whether a dead letter blocks later messages of its key
     */
    public record Asked(LaneId lane, boolean deadLettersBlock, Order order) {}

    private record Found(int number, RetrySurvey survey) {
        private static Found of(ResultSet row) throws SQLException {
            long lowest = Optional.ofNullable(row.getObject(3, Long.class)).orElse(RetrySurvey.NOTHING_WAITS.lowest());
            return new Found(row.getInt(1) - 1, new RetrySurvey(true, row.getBoolean(2), lowest));
        }
    }

    private final JdbcTemplate jdbc;

    public SurveyStore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** The result of each lane, in the order of the lanes. */
    public List<RetrySurvey> survey(List<Asked> lanes) {
        RetrySurvey[] surveys =
                Collections.nCopies(lanes.size(), RetrySurvey.NOTHING_WAITS).toArray(RetrySurvey[]::new);
        statement(lanes).query(jdbc, Found::of).forEach(found -> surveys[found.number()] = found.survey());
        return List.of(surveys);
    }

    private static Sql statement(List<Asked> lanes) {
        return Sql.file("engine/survey")
                .plannedEachTime()
                .withEach("subscriptions", lanes, asked -> asked.lane().subscription(), String[]::new)
                .withEach("lanes", lanes, asked -> asked.lane().number(), Integer[]::new)
                .withEach("dead_letters_block", lanes, Asked::deadLettersBlock, Boolean[]::new)
                .withEach("strict", lanes, asked -> asked.order() == Order.strict, Boolean[]::new);
    }
}
