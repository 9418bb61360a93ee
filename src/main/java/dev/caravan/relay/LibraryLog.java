package dev.caravan.relay;

import dev.caravan.base.text.ErrorText;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Passes what libraries log with {@code java.util.logging} to the log of this process, without logins and other secrets of addresses. Java itself
 * would write it to standard error as it is.
 */
public final class LibraryLog extends Handler {
    private static final SimpleFormatter TEXTS = new SimpleFormatter();

    private LibraryLog() {}

    /** For the process of a command, not for an application in which the component runs: its log is its own. */
    public static void install() {
        var root = LogManager.getLogManager().getLogger("");
        for (Handler other : root.getHandlers()) {
            root.removeHandler(other);
        }
        root.addHandler(new LibraryLog());
    }

    @Override
    public void publish(LogRecord record) {
        LoggerFactory.getLogger(String.valueOf(record.getLoggerName()))
                .atLevel(level(record.getLevel().intValue()))
                .log(() -> text(record));
    }

    private static Level level(int value) {
        if (value >= java.util.logging.Level.SEVERE.intValue()) {
            return Level.ERROR;
        }
        if (value >= java.util.logging.Level.WARNING.intValue()) {
            return Level.WARN;
        }
        return value >= java.util.logging.Level.INFO.intValue() ? Level.INFO : Level.DEBUG;
    }

    private static String text(LogRecord record) {
        String text = TEXTS.formatMessage(record);
        return ErrorText.withoutSecrets(record.getThrown() == null ? text : text + ": " + record.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
