package dev.caravan.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan jobs}: commands on the jobs that change many messages, or lanes. */
@Command(
        name = "jobs",
        description = "List or cancel jobs: changes of many messages (--all, a replay, those of the console), and of"
                + " lanes in the console.")
final class JobsCommand extends CommandGroup {
    private static final Table<Job> TABLE = new Table<Job>("No jobs.")
            .column("ID>", Job::id)
            .column("WHAT", JobsCommand::what)
            .column("SUBSCRIPTION", job -> job.subscription().orElse("all"))
            .column("STATE", job -> job.state().text())
            .column("DONE>", JobsCommand::done)
            .column("STARTED", job -> Formatted.ago(job.startedAt()))
            .column("BY", 30, Job::who)
            .column("NOTE", 80, JobsCommand::note);

    /** A job as JSON. */
    private record Shown(@JsonUnwrapped Job job, String who, Optional<String> reason) {
        static Shown of(Job job) {
            return new Shown(job, job.who(), job.reason());
        }
    }

    JobsCommand() {
        super("list", "cancel");
    }

    /** {@code discard dead letters}. */
    private static String what(Job job) {
        return (job.action() + " " + job.details().path("of").asText()).strip();
    }

    /** {@code 1,200 of 5,000}; without the total while the messages are counted. */
    private static String done(Job job) {
        String done = String.format(Locale.ROOT, "%,d", job.done());
        return job.total().isPresent()
                ? String.format(Locale.ROOT, "%s of %,d", done, job.total().getAsLong())
                : done;
    }

    /** Why a job has failed or stopped, or what it waits for; empty if nothing prevents it. */
    static Optional<String> note(Job job) {
        return job.error().or(() -> job.waitsFor().map(what -> "waits for " + what));
    }

    @Command(
            name = "list",
            sortOptions = false,
            description = {
                "List jobs, latest first. They are stored for seven days after they end.",
                "Relays continue a job whose command was killed. The bulk retries that a retry of dead letters starts have a"
                        + " list of their own: caravan bulk-retries list."
            })
    void list(@Mixin LimitOption limit, @Mixin OutputOption output, @Mixin SettingsOptions options)
            throws SQLException {
        int rows = limit.get();
        List<Job> all = new Jobs(options.database()).latest(rows);
        output.print(all, TABLE.text(all), Shown::of);
    }

    @Command(
            name = "cancel",
            sortOptions = false,
            description = {
                "End a running job between two steps, and the bulk retries that it has started. What was changed remains"
                        + " changed.",
                "A command that makes the steps of the job ends too."
            })
    int cancel(
            @Parameters(paramLabel = "ID", description = "The job, as caravan jobs list shows it.") long id,
            @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Jobs jobs = new Jobs(options.database());
        Job job = find(jobs, id);
        if (job.isRunning() && !options.confirmed(yes, "Cancel job " + described(job))) {
            return 0;
        }
        boolean changed = jobs.cancel(id, by);
        Job now = find(jobs, id);
        output.print(
                "Job " + described(now) + " is " + now.state() + "."
                        + (changed ? " What was changed remains changed." : " Nothing was changed."),
                Shown.of(now));
        return changed ? 0 : 1;
    }

    /** {@code 7 (discard dead letters of sms, 1,200 of 5,000 done)}. */
    private static String described(Job job) {
        return job.id() + " (" + what(job) + " of " + job.subscription().orElse("all subscriptions") + ", " + done(job)
                + " done)";
    }

    private static Job find(Jobs jobs, long id) throws SQLException {
        Job found = jobs.find(id)
                .orElseThrow(() -> new CommandFailure(
                        "There is no job " + id + ". Nothing was changed. See: ./caravan jobs list"));
        if (found.isBulkRetry()) {
            throw new CommandFailure("Job " + id + " is a bulk retry. Nothing was changed. To cancel it, run: ./caravan"
                    + " bulk-retries cancel " + id);
        }
        return found;
    }
}
