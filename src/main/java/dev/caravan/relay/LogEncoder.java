package dev.caravan.relay;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.OutputStreamAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.settings.OptionValue;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.ErrorText;
import dev.caravan.base.text.HiddenCharacters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * Writes each log event as text, or as one line with a JSON object, without {@link HiddenCharacters}. Masks logins of addresses, and options of endpoints that may be secrets. A stack trace in JSON has
 * the text of the exception itself, and not those of its causes, which may quote a message.
 */
public final class LogEncoder extends PatternLayoutEncoder {
    /** The name of the setting. */
    public static final String SETTING = "caravan.log.format";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A line break within an event. Names that others choose may contain some, and the text after it must not look like another event. */
    private static final Pattern CONTINUED = Pattern.compile("\\n(?=\\S)");

    private volatile boolean isJson;

    /** @throws SettingsException if the setting is neither text nor json */
    static void check(Settings settings) {
        OptionValue.problem("enum", List.of("text", "json"), settings.text(SETTING, "text"))
                .ifPresent(problem -> {
                    throw new SettingsException(SETTING + " " + problem);
                });
    }

    /** @param format text or json; any other value, which check reports, means text */
    public void setFormat(String format) {
        isJson = format.equals("json");
    }

    /** Sets the format of the log of this process. @param format empty: as the environment says */
    public static void use(String format) {
        if (!format.isEmpty()) {
            ofThisProcess().forEach(encoder -> encoder.setFormat(format));
        }
    }

    /** Whether the log of this process is JSON. */
    public static boolean isJson() {
        return ofThisProcess().stream().anyMatch(encoder -> encoder.isJson);
    }

    private static List<LogEncoder> ofThisProcess() {
        List<LogEncoder> encoders = new ArrayList<>();
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        root.iteratorForAppenders().forEachRemaining(appender -> {
            if (appender instanceof OutputStreamAppender<ILoggingEvent> stream
                    && stream.getEncoder() instanceof LogEncoder encoder) {
                encoders.add(encoder);
            }
        });
        return encoders;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        return isJson
                ? object(event)
                : CONTINUED
                        .matcher(HiddenCharacters.shown(
                                ErrorText.withoutLogins(getLayout().doLayout(event))))
                        .replaceAll("$0    ")
                        .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] object(ILoggingEvent event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", event.getInstant().toString());
        fields.put("level", event.getLevel().toString());
        fields.put("logger", event.getLoggerName());
        fields.put("thread", event.getThreadName());
        fields.put("message", ErrorText.withoutLogins(event.getFormattedMessage()));
        Map<String, String> context = context(event);
        if (!context.isEmpty()) {
            fields.put("mdc", context);
        }
        if (event.getThrowableProxy() != null) {
            fields.put("stackTrace", ErrorText.withoutLogins(stackTrace(event.getThrowableProxy())));
        }
        try {
            return (HiddenCharacters.escaped(JSON.writeValueAsString(fields)) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written outside the memory
        }
    }

    /** The MDC, and the pairs that an event has itself. */
    private static Map<String, String> context(ILoggingEvent event) {
        Map<String, String> context = new TreeMap<>(event.getMDCPropertyMap());
        if (event.getKeyValuePairs() != null) {
            event.getKeyValuePairs().forEach(pair -> context.put(pair.key, String.valueOf(pair.value)));
        }
        return context;
    }

    private static String stackTrace(IThrowableProxy thrown) {
        StringBuilder text = new StringBuilder(thrown.getClassName());
        if (thrown.getMessage() != null) {
            text.append(": ").append(thrown.getMessage());
        }
        for (IThrowableProxy each = thrown; each != null; each = each.getCause()) {
            if (each != thrown) {
                text.append("\nCaused by: ").append(each.getClassName());
            }
            StackTraceElementProxy[] frames = each.getStackTraceElementProxyArray();
            for (int i = 0; i < frames.length - each.getCommonFrames(); i++) {
                text.append("\n\t").append(frames[i].getSTEAsString());
            }
        }
        return text.toString();
    }
}
