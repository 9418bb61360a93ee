package dev.caravan.base.settings;

import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.TextFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.util.StringHelper;

/**
 * The settings that environment variables give without being named in a file: {@code CARAVAN_DB_URL} is {@code caravan.db.url}, and
 * {@code CAMEL_COMPONENT_KAFKA_BROKERS} is {@code camel.component.kafka.brokers}. The names are those of Camel Main, which itself reads only
 * {@code CAMEL_MAIN_…}.
 */
final class EnvironmentSettings {
    private static final String ANSWERS = "CARAVAN_ANSWERS_";

    /** Variables of the launcher and of commands. */
    private static final Set<String> OTHERS =
            Set.of("CARAVAN_HOME", "CARAVAN_CACHE", "CARAVAN_CONTEXT", "CARAVAN_CONFIG", "CARAVAN_REPOSITORY");

    /** Kubernetes sets these in each pod for a service with the name caravan. */
    private static final Pattern OF_SERVICE =
            Pattern.compile("CARAVAN_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_.+)?)");

    private static final Pattern PART = Pattern.compile("CAMEL_(COMPONENT|DATAFORMAT|LANGUAGE)_(\\w+)");
    private static final Pattern OPTION_OF_MAIN = Pattern.compile("\"name\": \"(camel\\.[\\w.-]+)\"");

    private static final Pattern VARIABLE = Pattern.compile("\\{\\{env:(\\w+)");

    private final Map<String, String> environment;
    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, String> variables = new TreeMap<>();
    private final List<String> warnings = new ArrayList<>();

    /** @param environment variables and their values; an empty one counts as not set */
    EnvironmentSettings(Map<String, String> environment) {
        this.environment = environment;
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (!value.isBlank()) {
                setting(variable).ifPresent(setting -> add(setting, variable, value.strip()));
            }
        });
    }

    /** Of several spellings, the one that the documentation names is used. */
    private void add(String setting, String variable, String value) {
        String other = variables.get(setting);
        boolean isUsed = other == null || variable.equals(SettingNames.variable(setting));
        if (other != null && !values.get(setting).equals(value)) {
            warnings.add(isUsed ? conflict(variable, other) : conflict(other, variable));
        }
        if (isUsed) {
            variables.put(setting, variable);
            values.put(setting, value);
        }
    }

    /** Names both variables, never their values. */
    private static String conflict(String used, String ignored) {
        return used + " and " + ignored + " are both set and differ. " + used + " is used. Remove one of them";
    }

    private Optional<String> setting(String written) {
        String variable = written.toUpperCase(Locale.ROOT);
        if (variable.startsWith(ANSWERS)) {
            return Optional.of(variable.toLowerCase(Locale.ROOT).replace('_', '.'));
        }
        if (variable.startsWith("CARAVAN_")) {
            Optional<String> known = named(variable, SettingNames.OF_RELAY.stream());
            if (known.isEmpty()
                    && !OTHERS.contains(variable)
                    && !OF_SERVICE.matcher(variable).matches()) {
                warnings.add(unknown(written));
            }
            return known;
        }
        return variable.startsWith("CAMEL_") ? ofCamel(variable) : Optional.empty();
    }

    private static Optional<String> named(String variable, Stream<String> settings) {
        return settings.filter(name -> SettingNames.same(name, variable)).findFirst();
    }

    private static String unknown(String variable) {
        List<String> known =
                SettingNames.OF_RELAY.stream().map(SettingNames::variable).toList();
        return variable + " is set, but there is no such setting, so it has no effect"
                + NearestName.suggestion(variable.toUpperCase(Locale.ROOT), known, "");
    }

    private static Optional<String> ofCamel(String variable) {
        Matcher part = PART.matcher(variable);
        if (part.matches()) {
            return ofPart(part.group(1).toLowerCase(Locale.ROOT), part.group(2).split("_"));
        }
        return named(
                variable,
                OPTION_OF_MAIN
                        .matcher(TextFile.resource("/META-INF/camel-main-configuration-metadata.json")
                                .orElseThrow())
                        .results()
                        .map(found -> found.group(1)));
    }

    /** The option of a component, whose name may have several words: aws2-s3. */
    private static Optional<String> ofPart(String kind, String[] words) {
        List<String> known = TextFile.resource("/org/apache/camel/main/" + kind + "s.properties")
                .orElseThrow()
                .lines()
                .toList();
        for (int count = words.length - 1; count > 0; count--) {
            String name = joined(words, 0, count);
            if (count == 1 || known.contains(name) || isOwn(kind, name)) {
                return Optional.of("camel." + kind + "." + name + "."
                        + StringHelper.dashToCamelCase(joined(words, count, words.length)));
            }
        }
        return Optional.empty();
    }

    private static String joined(String[] words, int from, int to) {
        return String.join("-", Arrays.copyOfRange(words, from, to)).toLowerCase(Locale.ROOT);
    }

    private static boolean isOwn(String kind, String name) {
        return EnvironmentSettings.class.getResource("/META-INF/services/org/apache/camel/" + kind + "/" + name)
                != null;
    }

    /**
     * Replaces the settings that a variable gives, however their names are written, and adds the others. A variable that the file names itself is
     * an older name: it is recorded, or reported if it has another value.
     *
     * @param settings of a file, with placeholders
     */
    void replace(Properties settings, Placeholders placeholders) {
        for (String name : settings.stringPropertyNames()) {
            String raw = settings.getProperty(name);
            Optional<String> older = named(raw);
            Optional<String> given = named(name, values.keySet().stream());
            given.ifPresent(setting -> {
                settings.remove(name);
                older.filter(variable -> !isSame(raw, values.get(setting), placeholders))
                        .ifPresent(variable -> warnings.add(conflict(variables.get(setting), variable)));
            });
            if (given.isEmpty()) {
                older.ifPresent(variable -> variables.put(name, variable));
            }
        }
        settings.putAll(values);
    }

    private static boolean isSame(String raw, String value, Placeholders placeholders) {
        try {
            return placeholders.resolve(raw).equals(value);
        } catch (IllegalArgumentException e) {
            return false; // another placeholder of the value is missing, which does not matter
        }
    }

    /** The first variable that a value names and that is set. */
    private Optional<String> named(String raw) {
        return VARIABLE.matcher(raw)
                .results()
                .map(found -> found.group(1))
                .filter(variable -> !environment.getOrDefault(variable, "").isBlank())
                .findFirst();
    }

    /** The variables by setting, without settings that have their values from elsewhere. */
    Map<String, String> used(Set<String> overridden) {
        Map<String, String> used = new TreeMap<>(variables);
        used.keySet().removeAll(overridden);
        return used;
    }

    List<String> warnings() {
        return warnings;
    }
}
