package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan bulk-retries list}: bulk retries, latest first. */
@Command(
        name = "list",
        sortOptions = false,
        description = "List bulk retries, latest first. They are stored for seven days after they end.")
final class BulkRetriesListCommand implements Callable<Integer> {
    @Mixin
    private LimitOption limit;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        List<Job> all = new Jobs(options.database()).latestBulkRetries(limit.get());
        output.print(
                () -> all.isEmpty() ? "No bulk retries." : text(all),
                () -> all.stream().map(Job::bulkRetry).toList());
        return 0;
    }

    private static String text(List<Job> all) {
        Table table = new Table(
                "ID>",
                "SUBSCRIPTION",
                "STATE",
                "RETRIED>",
                "DELIVERED>",
                "FAILED>",
                "PENDING>",
                "LEFT>",
                "STARTED",
                "BY",
                "NOTE");
        for (Job each : all) {
            table.row(
                    each.id(),
                    each.name(),
                    each.state().text(),
                    each.done(),
                    each.delivered(),
                    each.failed(),
                    each.pending(),
                    each.left(),
                    Formatted.ago(each.startedAt()),
                    Formatted.line(each.who(), 30),
                    Formatted.line(
                            each.error()
                                    .or(() -> each.waitsFor().map(what -> "waits for " + what))
                                    .orElse("-"),
                            80));
        }
        return table.toString();
    }
}
