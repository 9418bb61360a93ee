package dev.caravan.routes.draft;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.webhook.PublicAddresses;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A new route file and the file with its settings.
 *
 * @param answers an answer to each question of the destination
 */
public record Draft(String name, Destination destination, Map<Question, String> answers) {
    private static final Pattern PLACE = Pattern.compile("@(?<name>[a-zA-Z]+)(?<json>\\|json)?@");
    private static final Pattern SETTING = Pattern.compile("(?<name>[\\w.-]+) = \\{\\{env:(?<variable>\\w+):");
    private static final Pattern HOST = Pattern.compile("https?://(?<host>\\[[^]]*]|[^:/?#]+)");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    /** The text of the route file. */
    public String route() {
        return EditorSchema.LINE + filled(destination.route(), true);
    }

    /** The text of the file with its settings; empty if it has none. */
    public String settings() {
        return filled(destination.settings(), false);
    }

    /** Those of its settings that do not exist yet, as text of a file: all routes to one gateway share its settings. */
    public String newSettings(Settings existing) {
        StringBuilder text = new StringBuilder();
        String comment = "";
        for (String line : settings().lines().toList()) {
            if (line.startsWith("#")) {
                comment = line + "\n";
            } else if (!existing.all().containsKey(line.replaceFirst(" =.*", ""))) {
                text.append(comment).append(line).append('\n');
                comment = "";
            }
        }
        return text.toString();
    }

    /** Whether a route and its subscription can have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The settings without which the route cannot run, each with the environment variable for it. */
    public Map<String, String> required() {
        return settings(false);
    }

    /** Those of them without a default. */
    public Map<String, String> withoutDefault() {
        return settings(true);
    }

    private Map<String, String> settings(boolean empty) {
        Map<String, String> required = new LinkedHashMap<>();
        boolean optional = false;
        for (String line : settings().split("\n")) {
            Matcher setting = SETTING.matcher(line);
            if (line.startsWith("#")) {
                optional = line.startsWith("# optional");
            } else if (!optional && setting.lookingAt() && !(empty && !line.endsWith(":}}"))) {
                required.put(setting.group("name"), setting.group("variable"));
            }
        }
        return required;
    }

    /** The required settings that have no value. */
    public Map<String, String> unset(Settings all) {
        Map<String, String> unset = required();
        unset.keySet().removeIf(name -> !all.text(name, "").isBlank());
        return unset;
    }

    private String filled(String text, boolean yaml) {
        StringBuilder filled = new StringBuilder();
        Matcher place = PLACE.matcher(text);
        while (place.find()) {
            String value = value(place.group("name"));
            String json = place.group("json") == null ? value : escaped(value);
            place.appendReplacement(
                    filled, Matcher.quoteReplacement(yaml ? escaped(json) : json.replace("\\", "\\\\")));
        }
        return place.appendTail(filled).toString();
    }

    private String value(String place) {
        return switch (place) {
            case "name" -> name;
            case "private" -> String.valueOf(isPrivate(answers.get(Question.URL)));
            case "NAME" -> name.toUpperCase(Locale.ROOT).replace('-', '_');
            default -> answers.get(Question.valueOf(place.toUpperCase(Locale.ROOT)));
        };
    }

    private static boolean isPrivate(String url) {
        Matcher host = HOST.matcher(url);
        return host.lookingAt() && PublicAddresses.isKnownPrivate(host.group("host"));
    }

    /** Escapes a text for a JSON string, which is also a YAML string in double quotes. */
    private static String escaped(String text) {
        return String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text));
    }
}
