package dev.caravan.routes.check;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.NearestName;
import dev.caravan.camel.KnownAnswers;
import dev.caravan.database.Database;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.NoticeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Checks the settings {@code caravan.*}: each name is known and each value is valid. */
final class CheckedSettings {
    private static final String AREA = "settings";
    private static final String PREFIX = "caravan.";

    /** All settings of the relay. */
    private static final Set<String> KNOWN = Set.of(
            "caravan.db.url",
            "caravan.db.user",
            "caravan.db.password",
            "caravan.schema",
            "caravan.schema.auto",
            "caravan.partition.size",
            "caravan.retention",
            "caravan.idempotent.retention",
            "caravan.discarded.retention",
            "caravan.audit.retention",
            "caravan.notices",
            "caravan.presence",
            "caravan.routes",
            "caravan.lib",
            "caravan.tracing",
            "caravan.management.token",
            "caravan.management.readToken",
            "caravan.management.mask",
            "caravan.people.proxies",
            "caravan.people.issuer",
            "caravan.people.client",
            "caravan.people.address",
            "caravan.people.names",
            "caravan.people.roles");

    private CheckedSettings() {}

    /** @param ofRelay readers of settings of a relay, beside those of its routes and its database */
    static List<CheckResult> findings(Settings settings, List<Consumer<Settings>> ofRelay) {
        List<CheckResult> findings = new ArrayList<>();
        settings.all().keySet().stream()
                .filter(name ->
                        name.startsWith(PREFIX) && !KNOWN.contains(name) && !name.startsWith(KnownAnswers.PREFIX))
                .sorted()
                .map(CheckedSettings::unknown)
                .forEach(findings::add);
        for (Consumer<Settings> reader : readers(ofRelay)) {
            try {
                reader.accept(settings);
            } catch (SettingsException e) {
                findings.add(CheckResult.problem(AREA, "caravan.*", e.getMessage()));
            }
        }
        if (findings.isEmpty()) {
            findings.add(CheckResult.ok(AREA, "caravan.*", "all values are valid"));
        }
        return findings.stream().distinct().toList(); // several readers read the same setting
    }

    private static CheckResult unknown(String name) {
        String hint = NearestName.to(name, KNOWN)
                .map(near -> "; did you mean " + near + "?")
                .orElse("; remove it");
        return CheckResult.problem(AREA, name, "is not a known setting" + hint);
    }

    private static List<Consumer<Settings>> readers(List<Consumer<Settings>> ofRelay) {
        List<Consumer<Settings>> readers = new ArrayList<>(Database.settings());
        readers.addAll(Partitions.settings());
        readers.addAll(Retention.settings());
        readers.addAll(IdempotentIds.settings());
        readers.addAll(Discards.settings());
        readers.addAll(AuditRetention.settings());
        readers.addAll(NoticeSettings.settings());
        readers.addAll(ofRelay);
        readers.add(settings -> settings.flag("caravan.schema.auto", false));
        readers.add(settings -> KnownAnswers.check(settings.all()));
        return readers;
    }
}
