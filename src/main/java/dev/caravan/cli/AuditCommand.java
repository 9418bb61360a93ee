package dev.caravan.cli;

import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
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
    int list(
            @Option(names = "--subscription", paramLabel = "NAME", description = "Only entries of this subscription.")
                    String subscription,
            @Mixin ListOptions list,
            @Option(
                            names = "--payload",
                            description =
                                    "Also show the original payload and headers of edited messages; they may contain"
                                            + " personal data.")
                    boolean payload,
            @Mixin SettingsOptions options)
            throws SQLException {
        Optional<String> name = Optional.ofNullable(subscription);
        new SubscriptionNames(new Subscriptions(options.database())).requireStored(name, "");
        Audit audit = new Audit(options.database());
        Shown shown = AuditText.shown(payload);
        return list.print(
                rows -> shown.all(audit.latest(name, Long.MAX_VALUE, rows)),
                audit.parts(name).map(shown::all),
                AuditEntry.COLUMNS,
                "No changes by people.",
                table(payload),
                "entries");
    }

    private static Table<AuditEntry> table(boolean payload) {
        return new Table<AuditEntry>()
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
