package dev.caravan.cli;

import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan audit}: the changes that people made. */
@Command(name = "audit", description = "List the changes that people made: who, when, what and why.")
final class AuditCommand extends CommandGroup {
    AuditCommand() {
        super("list");
    }

    @Command(name = "list", sortOptions = false, description = "List the changes that people made, newest first.")
    void list(
            @Option(names = "--subscription", paramLabel = "NAME", description = "Only entries of this subscription.")
                    String subscription,
            @Mixin LimitOption limit,
            @Option(
                            names = "--payload",
                            description =
                                    "Also show the original payload and headers of edited messages; they may contain personal data.")
                    boolean payload,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        int rows = limit.get();
        Audit audit = new Audit(options.database());
        List<AuditEntry> entries = subscription == null ? audit.latest(rows) : audit.ofSubscription(subscription, rows);
        output.print(entries, table(payload).text(entries), AuditText.shown(payload)::of);
    }

    private static Table<AuditEntry> table(boolean payload) {
        return new Table<AuditEntry>("No changes by people.")
                .column("AT", entry -> entry.at().truncatedTo(ChronoUnit.SECONDS))
                .column("WHO", 40, AuditEntry::who)
                .column("VIA", AuditEntry::via)
                .column("ACTION", AuditEntry::action)
                .column("SUBSCRIPTION", AuditEntry::subscription)
                .column("MESSAGE>", AuditEntry::message)
                .column("REASON", 60, AuditEntry::reason)
                .column("DETAIL", entry -> AuditText.summary(entry, payload));
    }
}
