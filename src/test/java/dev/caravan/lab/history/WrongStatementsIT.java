package dev.caravan.lab.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.lab.history.plan.HistoryOptions;
import dev.caravan.lab.history.plan.RandomHistory;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories find a statement of a relay that is wrong. */
class WrongStatementsIT {
    private static final int HISTORIES = 100;

    /** A condition of a statement that is left out, and the first seed to try, which finds it soon. */
    enum Wrong {
        POSITION_AHEAD_OF_THE_SEQUENCE_IS_NOT_LATCHED("and subscription.halted_at is null", "and false", 425),
        START_LATEST_SKIPS_OPEN_TRANSACTIONS("where visible.id > visible.previous + 1", "where false", 27),
        A_FULL_READ_COUNTS_AS_COMPLETE("count(*) over () as candidates", "0 as candidates", 6),
        COMPLETENESS_IS_JUDGED_BY_THE_BATCH_SIZE(
                "concat_ws(' ', candidates,",
                "concat_ws(' ', case when count(*) over () < %d then 0 else 2147483647 end,",
                364),
        A_REPLACED_DATABASE_IS_NOT_NOTICED("pg_walfile_name(pg_current_wal_lsn())", "'000000010000000000000001'", 69),
        A_SAVE_ALSO_HITS_OTHER_SUBSCRIPTIONS(
                "where name = ?\n      and lane = ?\n      and epoch = ?\n      and owner is",
                "where ?::text is not null and lane = ? and epoch = ? and owner is",
                2),
        A_FENCED_RELAY_SAVES("and epoch = ?", "and epoch >= ? - 1000", 3),
        A_LEASE_IS_TAKEN_BEFORE_IT_ENDS("lease_until < clock_timestamp())", "true)", 12);

        private final String right;
        private final String wrong;
        private final long seed;
        private boolean leftOut;

        Wrong(String right, String wrong, long seed) {
            this.right = right;
            this.wrong = wrong;
            this.seed = seed;
        }

        String in(String sql, HistoryOptions options) {
            leftOut |= sql.contains(right);
            return sql.replace(right, wrong.formatted(options.batch()));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"A_FENCED_RELAY_SAVES", "A_FULL_READ_COUNTS_AS_COMPLETE"})
    void it_is_found_soon(Wrong wrong) throws Exception {
        find(wrong);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"A_FENCED_RELAY_SAVES", "A_FULL_READ_COUNTS_AS_COMPLETE"})
    void it_is_found(Wrong wrong) throws Exception {
        find(wrong);
    }

    private static void find(Wrong wrong) throws Exception {
        try (HistoryPlayer histories = HistoryPlayer.on(TestPostgres.server(), wrong::in)) {
            Optional<String> broken = LongStream.range(wrong.seed, wrong.seed + HISTORIES)
                    .mapToObj(seed -> histories
                            .promiseBrokenBy(RandomHistory.of(seed))
                            .map(promise -> "seed " + seed + ": " + promise))
                    .flatMap(Optional::stream)
                    .findFirst();

            System.out.println(wrong + " " + broken);
            assertThat(wrong.leftOut)
                    .as("a statement contains: %s", wrong.right)
                    .isTrue();
            assertThat(broken).isPresent();
        }
    }
}
