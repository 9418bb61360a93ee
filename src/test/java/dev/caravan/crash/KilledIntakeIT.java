package dev.caravan.crash;

import static dev.caravan.crash.CopyStage.Fault.COPIER_FROZEN;
import static dev.caravan.crash.CopyStage.Fault.KILLED_BEFORE_COPY;
import static dev.caravan.crash.CopyStage.Fault.KILLED_BEFORE_MARK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.crash.CopyStage.Fault;
import dev.caravan.lab.bench.contender.CopyLoopMain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
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
    private static final int BATCH = 500;
    private static final long SEED = Long.getLong("intake.seed", 20261127);

    @Test
    void each_row_is_copied_once_in_order_and_marked_however_often_relays_and_databases_are_killed(@TempDir Path folder)
            throws Exception {
        try (var stage = new CopyStage(folder)) {
            Random random = new Random(SEED);

            CopyCheck check = stage.run(
                    new IntakeRelays(stage, folder, BATCH),
                    MESSAGES,
                    faults(
                            random,
                            KILLED_BEFORE_COPY,
                            KILLED_BEFORE_COPY,
                            KILLED_BEFORE_COPY,
                            KILLED_BEFORE_MARK,
                            KILLED_BEFORE_MARK,
                            KILLED_BEFORE_MARK,
                            COPIER_FROZEN,
                            COPIER_FROZEN),
                    random);

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
        CopyCheck check = loop(folder, CopyLoopMain.MARK_AFTER, KILLED_BEFORE_MARK);

        assertThat(check.doubled()).as(check::toString).isNotEmpty();
        assertThat(check.lost()).as(check::toString).isEmpty();
    }

    @Test
    void a_copy_loop_that_marks_before_loses_rows_when_it_is_killed(@TempDir Path folder) throws Exception {
        CopyCheck check = loop(folder, CopyLoopMain.MARK_BEFORE, KILLED_BEFORE_COPY);

        assertThat(check.lost()).as(check::toString).isNotEmpty();
        assertThat(check.doubled()).as(check::toString).isEmpty();
    }

    private static CopyCheck loop(Path folder, String marks, Fault kill) throws Exception {
        try (var stage = new CopyStage(folder)) {
            Random random = new Random(SEED);
            CopyCheck check = stage.run(
                    new CopyLoop(stage, BATCH, marks),
                    MESSAGES_OF_LOOP,
                    faults(random, kill, kill, kill, kill, kill, kill),
                    random);
            System.out.println("loop that marks " + marks + ": " + check);
            return check;
        }
    }

    /** Four kills at any moment and six at these, and two of each database, in random order. */
    private static List<Fault> faults(Random random, Fault... others) {
        List<Fault> faults = new ArrayList<>(List.of(others));
        faults.addAll(Collections.nCopies(4, Fault.COPIER_KILLED));
        faults.addAll(Collections.nCopies(2, Fault.SOURCE_KILLED));
        faults.addAll(Collections.nCopies(2, Fault.OUTBOX_KILLED));
        Collections.shuffle(faults, random);
        return faults;
    }
}
