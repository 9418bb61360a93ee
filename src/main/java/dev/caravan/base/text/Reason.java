package dev.caravan.base.text;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.nio.file.FileSystemException;
import java.sql.SQLException;
import java.util.Set;
import org.apache.camel.http.base.HttpOperationFailedException;

/** The cause of a failure in one line that is safe to log: without payloads, addresses and phone numbers. */
public final class Reason {
    private static final int MAX_LENGTH = 500;

    /**
     * The beginnings of the SQLSTATEs of a wrong state of a transaction, such as a read-only one, and of a refused login. Others that begin with
     * 2 name values.
     */
    private static final Set<String> WITHOUT_VALUES = Set.of("25", "28");

    private Reason() {}

    /** @param failure null if the route marked the exchange for rollback without an exception */
    public static String of(Throwable failure) {
        if (failure == null) {
            return "the route marked it for rollback";
        }
        Throwable root = Causes.root(failure);
        if (root instanceof HttpOperationFailedException http) {
            return "the destination answered " + http.getStatusCode();
        }
        String name = name(root.getClass());
        return isSafe(root) && root.getMessage() != null
                ? name + " (" + ErrorText.masked(firstLine(root.getMessage())) + ")"
                : name;
    }

    /** The name without the package. An anonymous class has no simple name. */
    private static String name(Class<?> type) {
        String name = type.getSimpleName();
        return name.isEmpty() ? type.getName().replaceFirst("^.*\\.", "") : name;
    }

    /** Errors of network, database and Kafka clients contain hosts, topics and states, but no content of messages. */
    private static boolean isSafe(Throwable error) {
        return error instanceof IOException && isOfNetwork(error.getClass().getName()) && !namesContent(error)
                || error instanceof SQLException sql
                        && sql.getSQLState() != null
                        && (!sql.getSQLState().startsWith("2")
                                || WITHOUT_VALUES.stream().anyMatch(sql.getSQLState()::startsWith))
                || error.getClass().getName().startsWith("org.apache.kafka.");
    }

    private static boolean isOfNetwork(String type) {
        return type.startsWith("java.") || type.equals("dev.caravan.camel.NoAnswerException");
    }

    /** Whether the text is a URL or a file name, which may contain parts of a payload. */
    private static boolean namesContent(Throwable error) {
        return error instanceof MalformedURLException
                || error instanceof FileNotFoundException
                || error instanceof FileSystemException;
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("").strip();
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
    }
}
