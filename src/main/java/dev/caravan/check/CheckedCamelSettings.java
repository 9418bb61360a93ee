package dev.caravan.check;

import dev.caravan.settings.OptionValue;
import dev.caravan.settings.Settings;
import dev.caravan.text.NearestName;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.tooling.model.BaseOptionModel;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.tooling.model.MainModel;

/** The settings of {@code camel.*}: each name is one that Camel knows, and each value can be read as what it is for. */
final class CheckedCamelSettings {
    private static final String AREA = "settings";
    private static final Pattern COMPONENT = Pattern.compile("camel\\.component\\.([^.\\[]+)\\.([^.\\[]+)");
    private static final Pattern NESTED = Pattern.compile(".*[.\\[].*");

    private final CamelMetadata metadata;
    private final Map<String, BaseOptionModel> mainOptions = new LinkedHashMap<>();
    private final List<String> groups;
    private final Map<String, Finding> problems = new TreeMap<>();

    CheckedCamelSettings(Settings settings, CamelMetadata metadata) {
        this.metadata = metadata;
        MainModel main = metadata.main();
        main.getOptions().forEach(option -> mainOptions.put(plain(option.getName()), option));
        groups = main.getGroups().stream()
                .map(group -> plain(group.getName()) + ".")
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        settings.all().forEach((name, value) -> {
            if (name.startsWith("camel.") && !value.isEmpty()) {
                problem(name, value).ifPresent(text -> problems.put(name, Finding.problem(AREA, name, text)));
            }
        });
    }

    List<Finding> findings() {
        return List.copyOf(problems.values());
    }

    /** The settings without those that have a problem: with them Camel can be made, to look for more. */
    Map<String, String> usable(Settings settings) {
        Map<String, String> usable = new TreeMap<>(settings.all());
        usable.keySet().removeAll(problems.keySet());
        return usable;
    }

    private Optional<String> problem(String name, String value) {
        Matcher component = COMPONENT.matcher(name);
        if (component.matches()) {
            return ofComponent(component.group(1), component.group(2), value);
        }
        BaseOptionModel known = mainOptions.get(plain(name));
        return known == null ? unknown(name) : unreadable(known, value);
    }

    private Optional<String> ofComponent(String component, String name, String value) {
        return metadata.component(component).flatMap(model -> {
            Map<String, BaseOptionModel> options = new LinkedHashMap<>();
            model.getComponentOptions().forEach(option -> options.put(plain(option.getName()), option));
            BaseOptionModel known = options.get(plain(name));
            return known == null
                    ? Optional.of(noSuch(
                            "camel.component." + component + ".",
                            name,
                            options.values().stream()
                                    .map(BaseOptionModel::getName)
                                    .toList()))
                    : unreadable(known, value);
        });
    }

    /** A name with further parts can be anything, such as an entry of a map: Camel itself decides. */
    private Optional<String> unknown(String name) {
        String plain = plain(name);
        return groups.stream()
                .filter(plain::startsWith)
                .findFirst()
                .filter(group ->
                        !NESTED.matcher(plain.substring(group.length())).matches())
                .map(group -> noSuch(
                        "",
                        name,
                        mainOptions.values().stream()
                                .map(BaseOptionModel::getName)
                                .toList()));
    }

    private static String noSuch(String prefix, String name, List<String> known) {
        return "there is no such setting"
                + NearestName.to(name, known)
                        .map(near -> "; did you mean " + prefix + near + "?")
                        .orElse("; remove it");
    }

    /** A component takes any text for such an option; the values in its metadata are examples: an AWS region may be newer. */
    private static boolean isFreeText(BaseOptionModel option) {
        boolean ofComponent = option instanceof ComponentModel.EndpointOptionModel
                || option instanceof ComponentModel.ComponentOptionModel;
        return ofComponent && "java.lang.String".equals(option.getJavaType());
    }

    static Optional<String> unreadable(BaseOptionModel option, String value) {
        if (isFreeText(option)) {
            return Optional.empty();
        }
        String type =
                option.getType().equals("integer") && plain(option.getName()).endsWith("port")
                        ? "port"
                        : option.getType();
        return OptionValue.problem(type, option.getEnums() == null ? List.of() : option.getEnums(), value)
                .map(problem -> option.isSecret() ? problem.replaceFirst(", got .*", "") : problem);
    }

    /** Camel takes {@code jmxEnabled} and {@code jmx-enabled}. */
    private static String plain(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }
}
