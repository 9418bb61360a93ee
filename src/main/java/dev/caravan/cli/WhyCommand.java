package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.database.DatabaseClock;
import dev.caravan.operate.explain.Explanation;
import dev.caravan.operate.explain.Subject;
import dev.caravan.operate.explain.WaitReason;
import dev.caravan.operate.explain.Why;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan why}: why a message is not delivered yet. */
@Command(
        name = "why",
        sortOptions = false,
        description = {
            "Show for each subscription why a message is not delivered yet, when it is expected, and what to run next.",
            "With a key: its first message that is not delivered, or else a dead letter of it, or else its newest"
                    + " message. With an intake: why it copies no rows."
        })
final class WhyCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "MESSAGE",
            description = "The id of a message (812), its message id (a UUID) or a key (order/77); or an intake"
                    + " (intake:shop).")
    private String message;

    @Option(names = "--subscription", paramLabel = "NAME", description = "Only this subscription.")
    private String subscription;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        Optional<String> intake = Intakes.ofSubscription(message);
        if (intake.isPresent()) {
            return explainIntake(intake.get());
        }
        Subject subject = Subject.parse(message)
                .orElseThrow(() -> options.wrong("'" + message
                        + "' is not an id (812), a message id (a UUID), a key (order/77) or an intake (intake:shop)."));
        DataSource database = options.database();
        if (subscription != null) {
            new SubscriptionNames(new Subscriptions(database)).requireReader(subscription);
        }
        Why.Answer all = new Why(database, new MeasuredRate(database)).of(subject);
        Why.Answer answer = new Why.Answer(
                all.explanations().stream()
                        .filter(one -> subscription == null
                                || one.subscription().map(subscription::equals).orElse(true))
                        .toList(),
                all.note());
        Instant now = DatabaseClock.now(database);
        output.print(text(subject, answer, now), answer);
        return 0;
    }

    /** The JSON of an intake. */
    private record ExplainedIntake(String intake, List<WaitReason> reasons) {}

    private int explainIntake(String name) throws SQLException {
        DataSource database = options.database();
        Optional<List<WaitReason>> found = new Why(database, new MeasuredRate(database)).ofIntake(name);
        if (found.isEmpty()) {
            throw IntakeCommand.unknown(name, new Intakes(database).list());
        }
        List<WaitReason> reasons = found.get();
        List<String> lines = new ArrayList<>(List.of("intake " + name + ":"));
        reasons.forEach(reason -> add(lines, reason));
        output.print(String.join("\n", lines), new ExplainedIntake(name, reasons));
        return 0;
    }

    private static String text(Subject subject, Why.Answer answer, Instant now) {
        List<String> lines = new ArrayList<>();
        for (Explanation explanation : answer.explanations()) {
            lines.add(explanation.subscription().map(name -> name + ", ").orElse("") + "message " + explanation.id()
                    + ":");
            explanation.reasons().forEach(reason -> add(lines, reason));
            explanation.expectedAt().ifPresent(time -> lines.add("  Expected " + when(time, now)));
        }
        if (!answer.note().isEmpty()) {
            lines.add(answer.note());
        }
        return lines.isEmpty()
                ? "No subscription exists, so nothing delivers " + subject + "."
                : String.join("\n", lines);
    }

    private static void add(List<String> lines, WaitReason reason) {
        lines.add("  " + Formatted.line(reason.sentence(), 1_000)
                + reason.since()
                        .map(time -> " (since " + time + ", " + Formatted.ago(time) + ")")
                        .orElse("") + ".");
        reason.next().ifPresent(command -> lines.add("    " + command));
        reason.remedies().forEach(remedy -> lines.add("    " + remedy.command()));
    }

    private static String when(Instant time, Instant now) {
        Duration left = Duration.between(now, time);
        return left.toSeconds() <= 0 ? "now." : "in about " + Span.text(left) + " (" + time + ").";
    }
}
