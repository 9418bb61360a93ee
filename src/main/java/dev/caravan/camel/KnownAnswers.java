package dev.caravan.camel;

import dev.caravan.base.settings.SettingNames;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import dev.caravan.camel.headers.OutboxConstants;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeException;
import org.apache.camel.http.base.HttpOperationFailedException;

/**
 * Answers of HTTP and mail servers whose text says something else than their status. The settings {@code caravan.answers.NAME} add to the
 * built-in ones. Used by the error handling of the routes.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class KnownAnswers {
    /** The beginning of the names of these settings. */
    public static final String PREFIX = SettingNames.ANSWERS;

    /** An expression may take time that grows with the square of the length, and a server chooses the length. */
    private static final int EXAMINED = 4_000;

    private static final Pattern ENTRY =
            Pattern.compile("(?<kind>poison|destination|message)\\s+(?<status>[245][0-9x]{2})(?:\\s+(?<text>.+))?");

    private static final String SUCCESS = "2";

    private record Known(String kind, Pattern status, Pattern text) {
        boolean matches(Answer answer) {
            return status.matcher(answer.status).matches()
                    && text.matcher(answer.text).find();
        }
    }

    private record Answer(String status, String text) {
        private Answer {
            int begin = text.startsWith("\uFEFF") ? 1 : 0; // a byte order mark
            text = text.substring(begin, Math.min(text.length(), EXAMINED));
        }

        /** A receiver may quote the message that it refuses, and a message may contain the text of any answer. Only as a whole: many of both begin alike. */
        private Answer without(List<String> contents) {
            return new Answer(status, ErrorText.withoutWhole(contents, text));
        }
    }

    private final List<Known> known = new ArrayList<>();

    private KnownAnswers(Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(builtIn());
        settings.forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                all.put(name, value.strip());
            }
        });
        all.forEach((name, value) -> {
            if (!value.isEmpty()) {
                known.add(known(name, value));
            }
        });
    }

    /** @throws SettingsException if one of these settings is invalid */
    public static void check(Map<String, String> settings) {
        new KnownAnswers(settings);
    }

    private static Known known(String name, String value) {
        Matcher entry = ENTRY.matcher(value);
        if (!entry.matches()) {
            throw new SettingsException(name + " must be poison, destination or message, then a status such as 400 or"
                    + " 5xx, then a regular expression, got " + value);
        }
        if (entry.group("text") == null && entry.group("status").startsWith(SUCCESS)) {
            throw new SettingsException(
                    name + " needs a regular expression that is found in failures only: without one,"
                            + " no message would count as delivered, got " + value);
        }
        try {
            return new Known(
                    entry.group("kind"),
                    Pattern.compile(entry.group("status").replace("x", "[0-9]")),
                    Pattern.compile(
                            Optional.ofNullable(entry.group("text")).orElse(""),
                            Pattern.CASE_INSENSITIVE | Pattern.DOTALL));
        } catch (PatternSyntaxException e) {
            throw new SettingsException(name + " is not a regular expression: " + e.getDescription());
        }
    }

    private static Map<String, String> builtIn() {
        Properties properties = new Properties();
        try (InputStream file = KnownAnswers.class.getResourceAsStream("/built-in/answers.properties")) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> entries = new TreeMap<>();
        properties.forEach((name, value) -> entries.put(name.toString(), value.toString()));
        return entries;
    }

    /** Whether a known answer means that the message can never be delivered. */
    public static boolean meanPoison(@ExchangeException Exception error, Exchange exchange) {
        return mean("poison", error, exchange);
    }

    /** Whether a known answer means that the destination is unavailable. */
    public static boolean meanDestination(@ExchangeException Exception error, Exchange exchange) {
        return mean("destination", error, exchange);
    }

    /** Whether a known answer means that the message may be delivered later. */
    public static boolean meanMessage(@ExchangeException Exception error, Exchange exchange) {
        return mean("message", error, exchange);
    }

    /** Whether an answer with the status of a success may be a known one, so that its body has to be read. */
    public static boolean includeSuccess(CamelContext context) {
        return of(context).known.stream().anyMatch(each -> each.status.pattern().startsWith(SUCCESS));
    }

    /** Whether an answer is a known one, although its status may be that of a success. */
    public static boolean include(int status, String text, Exchange exchange) {
        Answer answer = new Answer(Integer.toString(status), text).without(sent(exchange));
        return of(exchange.getContext()).known.stream().anyMatch(each -> each.matches(answer));
    }

    private static boolean mean(String kind, Exception error, Exchange exchange) {
        List<Known> known = of(exchange.getContext()).known;
        List<String> sent = sent(exchange);
        return answers(error).map(answer -> answer.without(sent)).anyMatch(answer -> known.stream()
                .filter(each -> each.matches(answer))
                .findFirst()
                .filter(each -> each.kind.equals(kind))
                .isPresent());
    }

    private static List<String> sent(Exchange exchange) {
        return Stream.of(exchange.getMessage().getBody(), exchange.getProperty(OutboxConstants.SENT))
                .map(ErrorText::content)
                .filter(Objects::nonNull)
                .toList();
    }

    private static Stream<Answer> answers(Exception error) {
        return Causes.first(HttpOperationFailedException.class, error)
                .map(http -> Stream.of(new Answer(
                        Integer.toString(http.getStatusCode()),
                        Optional.ofNullable(http.getResponseBody()).orElse(""))))
                .orElseGet(() -> SmtpFailure.answers(error)
                        .map(text -> new Answer(text.substring(0, Math.min(3, text.length())), text)));
    }

    private static KnownAnswers of(CamelContext context) {
        var plugins = context.getCamelContextExtension();
        KnownAnswers answers = plugins.getContextPlugin(KnownAnswers.class);
        if (answers == null) {
            Properties found = context.getPropertiesComponent().loadProperties(name -> name.startsWith(PREFIX));
            Map<String, String> settings = new TreeMap<>();
            found.stringPropertyNames().forEach(name -> settings.put(name, found.getProperty(name)));
            answers = new KnownAnswers(settings);
            plugins.addContextPlugin(KnownAnswers.class, answers);
        }
        return answers;
    }
}
