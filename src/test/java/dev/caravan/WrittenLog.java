package dev.caravan;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.caravan.camel.outbox.LeftOpenOutboxes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The lines that a class or a route logs during a test, from whichever thread. A test need not close it: {@link LeftOpenOutboxes} does. */
public final class WrittenLog implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender;
    private final Logger logger;

    private WrittenLog(Logger logger, Level lowest) {
        this.logger = logger;
        LeftOpenOutboxes.OPEN.add(this);
        appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getLevel().isGreaterOrEqual(lowest)) {
                    contexts.add(event.getMDCPropertyMap());
                    lines.add(event.getFormattedMessage());
                }
            }
        };
        appender.start();
        logger.addAppender(appender);
    }

    public static WrittenLog of(Class<?> source) {
        return new WrittenLog((Logger) LoggerFactory.getLogger(source), Level.TRACE);
    }

    /** @param name of a logger, such as the id of a route */
    public static WrittenLog of(String name) {
        return new WrittenLog((Logger) LoggerFactory.getLogger(name), Level.TRACE);
    }

    /** The warnings and errors of all classes. */
    public static WrittenLog warnings() {
        return new WrittenLog((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME), Level.WARN);
    }

    public List<String> lines() {
        return lines;
    }

    /** The MDC of each line. */
    public List<Map<String, String>> contexts() {
        return contexts;
    }

    @Override
    public void close() {
        LeftOpenOutboxes.OPEN.remove(this);
        logger.detachAppender(appender);
    }
}
