package dev.caravan.routes.check;

import static java.util.Map.entry;

import dev.caravan.base.settings.SettingNames;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.NearestName;
import dev.caravan.camel.KnownAnswers;
import dev.caravan.database.Database;
import dev.caravan.operate.housekeeping.HousekeepingSettings;
import dev.caravan.operate.watch.NoticeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Checks the settings {@code caravan.*}: each name is known and each value is valid. */
final class CheckedSettings {
    private static final String CACHING = "#class:org.springframework.jms.connection.CachingConnectionFactory";
    private static final String AREA = "settings";
    private static final String PREFIX = "caravan.";
    private static final String COMPONENT = "camel.component.outbox.";

    /** Options of applications, and the settings of a relay in their place, on which its API and commands depend too. */
    private static final Map<String, String> OF_APPLICATIONS = Map.ofEntries(
            entry("datasource", "caravan.db.url"),
            entry("url", "caravan.db.url"),
            entry("user", "caravan.db.user"),
            entry("password", "caravan.db.password"),
            entry("schema", "caravan.schema"),
            entry("schemaauto", "caravan.schema.auto"),
            entry("schemacheck", "caravan.schema.auto"),
            entry("presence", "caravan.presence"),
            entry("partitionsize", "caravan.partition.size"),
            entry("retention", "caravan.retention"),
            entry("idempotentretention", "caravan.idempotent.retention"),
            entry("discardedretention", "caravan.discarded.retention"),
            entry("auditretention", "caravan.audit.retention"));

    private CheckedSettings() {}

    /** @param ofRelay readers of settings of a relay, beside those of its routes and its database */
    static List<CheckResult> findings(Settings settings, List<Consumer<Settings>> ofRelay) {
        List<CheckResult> findings = new ArrayList<>();
        settings.all().keySet().stream()
                .filter(name -> name.startsWith(PREFIX)
                        && !SettingNames.OF_RELAY.contains(name)
                        && !name.startsWith(KnownAnswers.PREFIX))
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
        findings.addAll(ofEnvironment(settings));
        return findings.stream().distinct().toList(); // several readers read the same setting
    }

    /** Which variables are used, without their values, and what may be a mistake in them and in the files. */
    private static List<CheckResult> ofEnvironment(Settings settings) {
        List<CheckResult> findings = new ArrayList<>();
        if (!settings.variables().isEmpty()) {
            findings.add(CheckResult.ok(
                    AREA,
                    "environment",
                    settings.variables().entrySet().stream()
                            .map(each -> each.getKey() + " is from " + each.getValue())
                            .collect(Collectors.joining(", "))));
        }
        settings.warnings().forEach(text -> findings.add(CheckResult.hint(AREA, "environment", text)));
        settings.repeated().forEach((name, text) -> findings.add(CheckResult.hint(AREA, name, text)));
        settings.all().forEach((name, value) -> {
            if (value.equals(CACHING)
                    && !settings.text(name + ".cacheProducers", "").equalsIgnoreCase("false")) {
                findings.add(CheckResult.hint(
                        AREA,
                        name,
                        "keeps a producer whose link the broker has ended, as Azure Service Bus does with an idle one: each"
                                + " attempt with it fails. Set " + name + ".cacheProducers=false"));
            }
        });
        return findings;
    }

    private static CheckResult unknown(String name) {
        String hint = NearestName.suggestion(name, SettingNames.OF_RELAY, "; remove it");
        return CheckResult.problem(AREA, name, "is not a known setting" + hint);
    }

    private static void database(Settings settings) {
        settings.all().keySet().stream()
                .filter(name -> name.startsWith(COMPONENT))
                .sorted()
                .forEach(name -> {
                    String option = name.substring(COMPONENT.length()).replace("-", "");
                    String setting = OF_APPLICATIONS.get(option.toLowerCase(Locale.ROOT));
                    if (setting != null) {
                        throw new SettingsException(
                                name + " is an option for applications. A relay has " + setting + ": set that instead");
                    }
                });
    }

    private static List<Consumer<Settings>> readers(List<Consumer<Settings>> ofRelay) {
        List<Consumer<Settings>> readers = new ArrayList<>(Database.settings());
        readers.addAll(HousekeepingSettings.settings());
        readers.addAll(NoticeSettings.settings());
        readers.addAll(ofRelay);
        readers.add(settings -> settings.flag("caravan.schema.auto", false));
        readers.add(CheckedSettings::database);
        readers.add(settings -> KnownAnswers.check(settings.all()));
        return readers;
    }
}
