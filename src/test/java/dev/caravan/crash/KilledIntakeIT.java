package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.crash.CopyStage.Fault;
import dev.caravan.lab.bench.contender.CopyLoopMain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An intake under SIGKILL of relays and of both databases, while an application writes. With {@code -Dintake.messages=100000} for as long
 * as before a release.
 */
@Tag("long")
class KilledIntakeIT {
    private static final int MESSAGES = Integer.getInteger("intake.messages", 20_000);
    private static final int MESSAGES_OF_LOOP = 6_000;
    private static final int MOST_TRIES_OF_LOOP = 5;
    private static final int BATCH = 500;
    private static final long SEED = Long.getLong("intake.seed", 20261127);

    @Test
    void each_row_is_copied_once_in_order_and_marked_however_often_relays_and_databases_are_killed(@TempDir Path folder)
            throws Exception {
        try (var stage = new CopyStage(folder)) {
            Random random = new Random(SEED);

            CopyCheck check = stage.run(new IntakeRelays(stage, folder, BATCH), MESSAGES, faults(random, 2), random);

            System.out.println("intake: " + check);
            assertThat(check.lost()).as("lost, %s", check).isEmpty();
            assertThat(check.doubled()).as("doubled, %s", check).isEmpty();
            assertThat(check.invented()).as("without a row, %s", check).isEmpty();
            assertThat(check.disordered()).as("out of order, %s", check).isEmpty();
            assertThat(check.pending()).as("not marked, %s", check).isEmpty();
            assertThat(check.markedAgain()).as("marked again, %s", check).isEmpty();
        }
    }

    @Test
    void a_copy_loop_that_marks_afterwards_doubles_rows_when_it_is_killed(@TempDir Path folder) throws Exception {
        CopyCheck check =
                loop(folder, CopyLoopMain.MARK_AFTER, harm -> !harm.doubled().isEmpty());

        assertThat(check.doubled()).as(check::toString).isNotEmpty();
        assertThat(check.lost()).as(check::toString).isEmpty();
    }

    @Test
    void a_copy_loop_that_marks_before_loses_rows_when_it_is_killed(@TempDir Path folder) throws Exception {
        CopyCheck check =
                loop(folder, CopyLoopMain.MARK_BEFORE, harm -> !harm.lost().isEmpty());

        assertThat(check.lost()).as(check::toString).isNotEmpty();
        assertThat(check.doubled()).as(check::toString).isEmpty();
    }

    /** The faults of an intake, again and again until they have done the harm: most often the first time. */
    private static CopyCheck loop(Path folder, String marks, Predicate<CopyCheck> harm) throws Exception {
        try (var stage = new CopyStage(folder)) {
            Random random = new Random(SEED);
            CopyCheck check;
            int tries = 0;
            do {
                check = stage.run(
                        new CopyLoop(stage, BATCH, marks), ++tries * MESSAGES_OF_LOOP, faults(random, 0), random);
                System.out.println("loop that marks " + marks + ": " + check);
            } while (!harm.test(check) && tries < MOST_TRIES_OF_LOOP);
            return check;
        }
    }

    private static List<Fault> faults(Random random, int frozen) {
        List<Fault> faults = new ArrayList<>(Collections.nCopies(10, Fault.COPIER_KILLED));
        faults.addAll(Collections.nCopies(frozen, Fault.COPIER_FROZEN));
        faults.addAll(Collections.nCopies(2, Fault.SOURCE_KILLED));
        faults.addAll(Collections.nCopies(2, Fault.OUTBOX_KILLED));
        Collections.shuffle(faults, random);
        return faults;
    }
}
