package dev.caravan;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** The lines that a class or a route logs during a test, from whichever thread. */
public final class WrittenLog implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage());
        }
    };
    private final Logger logger;

    private WrittenLog(Logger logger) {
        this.logger = logger;
        appender.start();
        logger.addAppender(appender);
    }

    public static WrittenLog of(Class<?> source) {
        return new WrittenLog((Logger) LoggerFactory.getLogger(source));
    }

    /** @param name of a logger, such as the id of a route */
    public static WrittenLog of(String name) {
        return new WrittenLog((Logger) LoggerFactory.getLogger(name));
    }

    public List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
