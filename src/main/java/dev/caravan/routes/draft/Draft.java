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
 * The text of a new route file and of the file with its settings.
 *
 * @param settings empty if the route has none
 */
public record Draft(String name, String route, String settings) {
    private static final Pattern PLACE = Pattern.compile("@(?<name>[a-zA-Z]+)(?<json>\\|json)?@");
    private static final Pattern SETTING =
            Pattern.compile("^(?<name>[\\w.-]+) = \\{\\{env:(?<variable>\\w+):", Pattern.MULTILINE);
    private static final Pattern HOST = Pattern.compile("https?://(?<host>\\[[^]]*]|[^:/?#]+)");
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    /** @param answers an answer to each question of the destination */
    public static Draft of(String name, Destination destination, Map<Question, String> answers) {
        return new Draft(
                name,
                filled(destination.route(), name, answers, true),
                filled(destination.settings(), name, answers, false));
    }

    /** Whether a route and its subscription can have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The settings of the route without a value, each with the environment variable for it. */
    public Map<String, String> unset(Settings all) {
        Map<String, String> unset = new LinkedHashMap<>();
        Matcher setting = SETTING.matcher(settings);
        while (setting.find()) {
            boolean ofCamel = setting.group("name").startsWith("camel."); // Camel has a default for an empty one
            if (!ofCamel && all.text(setting.group("name"), "").isBlank()) {
                unset.put(setting.group("name"), setting.group("variable"));
            }
        }
        return unset;
    }

    private static String filled(String text, String name, Map<Question, String> answers, boolean yaml) {
        StringBuilder filled = new StringBuilder();
        Matcher place = PLACE.matcher(text);
        while (place.find()) {
            String value = value(place.group("name"), name, answers);
            String json = place.group("json") == null ? value : escaped(value);
            place.appendReplacement(
                    filled, Matcher.quoteReplacement(yaml ? escaped(json) : json.replace("\\", "\\\\")));
        }
        return place.appendTail(filled).toString();
    }

    private static String value(String place, String name, Map<Question, String> answers) {
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
