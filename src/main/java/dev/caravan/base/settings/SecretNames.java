package dev.caravan.base.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.ErrorText;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Which settings, environment variables, system properties and placeholders are secrets, by their names, and which of their values are hidden. */
public final class SecretNames {
    /** Names of outboxes follow the token. */
    private static final Pattern OF_MANAGEMENT = Pattern.compile("(?i)(caravan[._])?management[._](read_?)?token");

    /** Functions of placeholders whose values are secrets only if their names say so. The others read a vault or a mounted secret. */
    private static final Set<String> PLAIN_FUNCTIONS =
            Set.of("env", "sys", "service", "service.host", "service.port", "configmap", "configmap-binary");

    /** Shorter values are not hidden, because they would hide parts of other texts. */
    private static final int SHORTEST = 5;

    private static final Pattern ORDINARY =
            Pattern.compile("(?i)false|localhost|127\\.0\\.0\\.1|enabled|disabled|default|required|optional|private");

    private SecretNames() {}

    /** The values of environment variables and system properties of this process that are secrets: a route can read each of them. */
    public static Stream<String> ofProcess() {
        return Stream.concat(values(System.getenv()), ofProperties(System.getProperties()));
    }

    /** The values of properties that are secrets by their names. */
    public static Stream<String> ofProperties(Properties properties) {
        return values(properties.stringPropertyNames().stream()
                .collect(Collectors.toMap(name -> name, name -> properties.getProperty(name, ""))));
    }

    /** The values of those that are secrets by their names. */
    public static Stream<String> values(Map<String, String> byName) {
        return byName.entrySet().stream()
                .filter(each -> ErrorText.isSecretName(each.getKey()))
                .flatMap(each -> hidden(
                        OF_MANAGEMENT.matcher(each.getKey()).matches()
                                ? each.getValue().replaceFirst("@.*", "")
                                : each.getValue()));
    }

    /** Whether the value of a placeholder is a secret, such as that of {@code partner.token} or {@code env:TOKEN:none}. */
    public static boolean isSecretPlaceholder(String placeholder) {
        String[] parts = placeholder.split(":", 3);
        return parts.length == 1
                ? ErrorText.isSecretName(placeholder)
                : !PLAIN_FUNCTIONS.contains(parts[0]) || ErrorText.isSecretName(parts[1]);
    }

    /** The whole value, and its parts: those of a list, or the values of JSON, without the names of its fields. */
    public static Stream<String> hidden(String value) {
        return Stream.concat(
                        Stream.of(value.strip()),
                        json(value).map(SecretNames::values).orElseGet(() -> Stream.of(value.split("[,\\s]+"))))
                .filter(text ->
                        text.length() >= SHORTEST && !ORDINARY.matcher(text).matches());
    }

    private static Optional<JsonNode> json(String value) {
        try {
            return Optional.of(value)
                    .filter(text -> text.strip().startsWith("{"))
                    .map(Json::read);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Stream<String> values(JsonNode json) {
        return json.isValueNode()
                ? hidden(json.asText())
                : StreamSupport.stream(json.spliterator(), false).flatMap(SecretNames::values);
    }
}
