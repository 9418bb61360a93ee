package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Fields;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan audit list}: the newest entries of the audit. */
@Command(name = "list", sortOptions = false, description = "List the changes that people made, newest first.")
final class AuditListCommand implements Callable<Integer> {
    @Option(names = "--subscription", paramLabel = "NAME", description = "Only entries of this subscription.")
    private String subscription;

    @Mixin
    private LimitOption limit;

    @Option(
            names = "--payload",
            description =
                    "Also show the original payload and headers of edited messages; they may contain personal data.")
    private boolean payload;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        int rows = limit.get();
        Audit audit = new Audit(options.database());
        List<AuditEntry> entries = subscription == null ? audit.latest(rows) : audit.ofSubscription(subscription, rows);
        output.print(() -> text(entries), () -> entries.stream()
                .map(entry -> Fields.of(entry, AuditText.shown(payload)))
                .toList());
        return 0;
    }

    private String text(List<AuditEntry> entries) {
        if (entries.isEmpty()) {
            return "No changes by people.";
        }
        Table table = new Table("AT", "WHO", "VIA", "ACTION", "SUBSCRIPTION", "MESSAGE>", "REASON", "DETAIL");
        for (AuditEntry entry : entries) {
            table.row(
                    entry.at().truncatedTo(ChronoUnit.SECONDS),
                    Formatted.line(entry.who(), 40),
                    entry.via(),
                    entry.action(),
                    entry.subscription(),
                    entry.message().map(Object::toString).orElse("-"),
                    entry.reason().map(reason -> Formatted.line(reason, 60)).orElse("-"),
                    AuditText.summary(entry, payload));
        }
        return table.toString();
    }
}
