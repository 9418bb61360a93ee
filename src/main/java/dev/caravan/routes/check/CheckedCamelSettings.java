package dev.caravan.routes.check;

import dev.caravan.base.settings.OptionValue;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.NearestName;
import dev.caravan.routes.component.UserJars;
import dev.caravan.routes.context.MissingClasses;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.camel.tooling.model.BaseOptionModel;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.tooling.model.MainModel;

/** Checks the settings {@code camel.*}: each name is known to Camel, and each value has the type of its option. */
final class CheckedCamelSettings {
    private static final String AREA = "settings";
    private static final Pattern COMPONENT = Pattern.compile("camel\\.component\\.([^.\\[]+)\\.([^.\\[]+)");
    /** The prefix of the names of Caravan's classes. */
    private static final String OWN = "dev.caravan.";

    private static final Pattern NESTED = Pattern.compile(".*[.\\[].*");

    private final CamelMetadata metadata;
    private final Map<String, BaseOptionModel> mainOptions = new LinkedHashMap<>();
    private final List<String> groups;
    private final Map<String, MissingClasses.Reason> missing;
    private final Map<String, CheckResult> problems = new TreeMap<>();

    CheckedCamelSettings(Settings settings, CamelMetadata metadata) {
        this.metadata = metadata;
        Set<String> given = settings.all().keySet().stream()
                .map(CheckedCamelSettings::plain)
                .collect(Collectors.toSet());
        MainModel main = metadata.main(option -> given.contains(plain(option)));
        main.getOptions().forEach(option -> mainOptions.put(plain(option.getName()), option));
        groups = main.getGroups().stream()
                .map(group -> plain(group.getName()) + ".")
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        missing = MissingClasses.of(settings.all(), UserJars.of(settings).classLoader());
        missing.values()
                .forEach(each -> problems.put(each.owner(), CheckResult.problem(AREA, each.owner(), each.text())));
        settings.all().forEach((name, value) -> {
            if (name.startsWith("camel.") && !value.isEmpty() && !missing.containsKey(name)) {
                problem(name, value).ifPresent(text -> problems.put(name, CheckResult.problem(AREA, name, text)));
            }
        });
    }

    List<CheckResult> findings() {
        return List.copyOf(problems.values());
    }

    /** The settings without a problem. Camel can be created with them to find further problems. */
    Map<String, String> usable(Settings settings) {
        Map<String, String> usable = new TreeMap<>(settings.all());
        usable.keySet().removeAll(problems.keySet());
        usable.keySet().removeAll(missing.keySet());
        return usable;
    }

    private Optional<String> problem(String name, String value) {
        Matcher component = COMPONENT.matcher(name);
        if (component.matches()) {
            return ofComponent(component.group(1), component.group(2), value);
        }
        BaseOptionModel known = mainOptions.get(plain(name));
        return known == null ? unknown(name) : unreadable(known, known.getType(), value);
    }

    private Optional<String> ofComponent(String component, String name, String value) {
        Predicate<String> isNamed = option -> plain(option).equals(plain(name));
        return metadata.component(component, isNamed).flatMap(model -> model.getComponentOptions().stream()
                .findFirst()
                .map(known -> unreadable(model, known, value))
                .orElseGet(() ->
                        Optional.of(noSuch("camel.component." + component + ".", name, componentOptions(component)))));
    }

    private List<String> componentOptions(String component) {
        return metadata.component(component, any -> true).orElseThrow().getComponentOptions().stream()
                .map(BaseOptionModel::getName)
                .toList();
    }

    /** Ignores names with further parts, such as entries of a map, which only Camel can check. */
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
                        metadata.main(any -> true).getOptions().stream()
                                .map(BaseOptionModel::getName)
                                .toList()));
    }

    private static String noSuch(String prefix, String name, List<String> known) {
        return "is not a known setting"
                + NearestName.to(name, known)
                        .map(near -> ", did you mean " + prefix + near + "?")
                        .orElse("; remove it");
    }

    /** Components accept any text for such an option. The metadata lists examples only; a newer AWS region may be missing. */
    private static boolean isFreeText(BaseOptionModel option) {
        boolean ofComponent = option instanceof ComponentModel.EndpointOptionModel
                || option instanceof ComponentModel.ComponentOptionModel;
        return ofComponent && "java.lang.String".equals(option.getJavaType());
    }

    /** The problem with the value of an option of a component. Caravan's durations need a unit; Camel reads a number as milliseconds. */
    static Optional<String> unreadable(ComponentModel component, BaseOptionModel option, String value) {
        boolean ownTime =
                option.getType().equals("duration") && component.getJavaType().startsWith(OWN);
        return unreadable(option, ownTime ? "time" : option.getType(), value);
    }

    private static Optional<String> unreadable(BaseOptionModel option, String camelType, String value) {
        if (isFreeText(option)) {
            return Optional.empty();
        }
        String type = camelType.equals("integer") && plain(option.getName()).endsWith("port") ? "port" : camelType;
        return OptionValue.problem(type, option.getEnums() == null ? List.of() : option.getEnums(), value)
                .map(problem -> option.isSecret() ? problem.replaceFirst(", got .*", "") : problem);
    }

    /** Normalizes a name: Camel accepts both {@code jmxEnabled} and {@code jmx-enabled}. */
    private static String plain(String name) {
        return name.replace("-", "").toLowerCase(Locale.ROOT);
    }
}
