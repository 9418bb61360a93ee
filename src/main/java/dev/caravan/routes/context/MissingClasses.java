package dev.caravan.routes.context;

import dev.caravan.routes.component.CatalogOfComponents;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The settings of components and beans whose classes are not found, for example because the component is not added yet. Because of one such
 * setting, Camel refuses all settings, and reports those of unrelated routes as missing.
 */
public final class MissingClasses {
    private static final Pattern COMPONENT = Pattern.compile("(camel\\.component\\.([\\w+-]+))\\..+");
    private static final Pattern BEAN = Pattern.compile("(camel\\.beans\\.([\\w-]+))([.\\[].+)?");
    private static final Pattern CLASS = Pattern.compile("#class:([\\w.$]+).*");

    private final Map<String, String> settings;
    private final ClassLoader jars;
    /** The class of each bean whose class is not found, by the name of the bean. */
    private final Map<String, String> beans;

    private MissingClasses(Map<String, String> settings, ClassLoader jars) {
        this.settings = settings;
        this.jars = jars;
        beans = settings.entrySet().stream()
                .filter(setting -> setting.getKey().matches("camel\\.beans\\.[\\w-]+"))
                .map(setting -> Map.entry(
                        setting.getKey().substring("camel.beans.".length()), CLASS.matcher(setting.getValue())))
                .filter(bean -> bean.getValue().matches()
                        && !has(bean.getValue().group(1).replace('.', '/') + ".class"))
                .collect(Collectors.toMap(
                        Map.Entry::getKey, bean -> bean.getValue().group(1)));
    }

    /** What a setting belongs to, such as {@code camel.component.amqp}, and why it cannot be used. */
    public record Reason(String owner, String text) {}

    /** @return the settings that cannot be used, by name */
    public static Map<String, Reason> of(Map<String, String> settings, ClassLoader jars) {
        return new MissingClasses(settings, jars).reasons();
    }

    private Map<String, Reason> reasons() {
        Map<String, Reason> reasons = new TreeMap<>();
        settings.forEach((name, value) -> {
            Matcher component = COMPONENT.matcher(name);
            Matcher bean = BEAN.matcher(name);
            String used = value.startsWith("#bean:") ? value.substring("#bean:".length()) : "";
            if (value.isEmpty()) {
                return; // not set
            } else if (component.matches() && isMissing(component.group(2))) {
                reasons.put(name, new Reason(component.group(1), ofComponent(component.group(2))));
            } else if (bean.matches() && beans.containsKey(bean.group(2))) {
                reasons.put(name, ofBean(bean.group(2)));
            } else if (name.startsWith("camel.") && beans.containsKey(used)) {
                reasons.put(name, ofBean(used));
            }
        });
        return reasons;
    }

    private boolean isMissing(String component) {
        return !has("META-INF/services/org/apache/camel/component/" + component)
                && !settings.containsKey("camel.beans." + component);
    }

    private boolean has(String resource) {
        return jars.getResource(resource) != null;
    }

    private static String ofComponent(String name) {
        return "the component is not found"
                + CatalogOfComponents.hint("component", name)
                        .map(hint -> ": it " + hint)
                        .orElse(". Correct its name, or add the jar that has it");
    }

    private Reason ofBean(String name) {
        return new Reason(
                "camel.beans." + name,
                "the class " + beans.get(name)
                        + " is not found. Add the component or the jar that has it, or correct its name");
    }
}
