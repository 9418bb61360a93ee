package dev.caravan.operate.explain;

import dev.caravan.base.text.Span;
import dev.caravan.database.Sql;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.Halt;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the reasons why an intake copies no rows. */
final class IntakeReasons {
    private IntakeReasons() {}

    /** What stops an intake; empty if nothing does. The columns of the facts are those of the intake. */
    static List<WaitReason> of(Facts facts) {
        return stopped(
                Intakes.ofSubscription(facts.subscription()).orElseThrow(),
                facts.halt(),
                facts.paused(),
                facts.pause(),
                facts.owner().isPresent(),
                facts.outage());
    }

    /** What stops an intake, or that it copies rows; and its dead letters. */
    static List<WaitReason> of(Connection connection, IntakeStatus intake) throws SQLException {
        boolean halted = intake.state() == IntakeStatus.State.HALTED;
        boolean paused = intake.state() == IntakeStatus.State.PAUSED;
        List<WaitReason> reasons = new ArrayList<>(stopped(
                intake.name(),
                Optional.of(new Halt(
                                intake.failingSince().orElse(null),
                                intake.error().orElse("")))
                        .filter(halt -> halted),
                paused,
                paused ? pause(connection, intake.subscription()) : Optional.empty(),
                intake.relay().isPresent(),
                intake.failingSince()
                        .filter(since -> !halted)
                        .map(since -> new Facts.Outage(since, intake.error(), Optional.empty()))));
        if (reasons.isEmpty()) {
            reasons.add(WaitReason.of(
                    Cause.IN_FLIGHT,
                    intake.relay().orElse("A relay") + " reads and copies its rows: " + intake.copied()
                            + " copied; each row that is pending now was committed in the last "
                            + Span.text(intake.lag())));
        }
        if (intake.deadLetters().atLeast() > 0) {
            reasons.add(WaitReason.of(
                            Cause.DEAD,
                            "No message could be made of "
                                    + intake.deadLetters().counted("row")
                                    + ": they are dead letters")
                    .next("./caravan dead-letters list --subscription " + intake.subscription()));
        }
        return reasons;
    }

    private static Optional<Facts.Pause> pause(Connection connection, String subscription) throws SQLException {
        return Sql.file("operate/last_pause").with("subscription", subscription).first(connection, Facts.Pause.class);
    }

    private static List<WaitReason> stopped(
            String name,
            Optional<Halt> halt,
            boolean paused,
            Optional<Facts.Pause> pause,
            boolean hasRelay,
            Optional<Facts.Outage> outage) {
        List<WaitReason> reasons = new ArrayList<>();
        halt.ifPresent(it -> reasons.add(WaitReason.of(Cause.HALTED, "A relay halted the intake")
                .error(Optional.of(it.reason()))
                .since(it.since())
                .next("./caravan intake check --try-mark")
                .remedies(Remedy.of(Remedy.Action.RESUME_INTAKE, name))));
        if (paused) {
            reasons.add(WaitReason.of(
                            Cause.PAUSED,
                            "The intake is paused"
                                    + pause.map(Facts.Pause::text).orElse(""))
                    .since(pause.map(Facts.Pause::at).orElse(null))
                    .remedies(Remedy.of(Remedy.Action.RESUME_INTAKE, name)));
        }
        if (!hasRelay && !paused && halt.isEmpty()) {
            reasons.add(
                    WaitReason.of(Cause.NO_RELAY, "No relay works the intake").next("./caravan run"));
        }
        outage.ifPresent(it -> reasons.add(WaitReason.of(Cause.INTAKE_FAILING, "The intake fails and is tried again")
                .error(it.error())
                .since(it.since())
                .next("./caravan intake check --try-mark")));
        return reasons;
    }
}
