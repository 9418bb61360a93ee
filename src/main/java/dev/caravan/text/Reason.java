package dev.caravan.text;

import dev.caravan.delivery.ErrorText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.nio.file.FileSystemException;
import java.sql.SQLException;
import org.apache.camel.http.base.HttpOperationFailedException;

/** The cause of a failure in one line that is safe to log: no text that may hold a payload, an address or a phone number. */
public final class Reason {
    private static final int LONGEST = 500;

    private Reason() {}

    public static String of(Throwable failure) {
        if (failure == null) {
            return "the route marked it for rollback";
        }
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        if (root instanceof HttpOperationFailedException http) {
            return "the destination answered " + http.getStatusCode();
        }
        String name = root.getClass().getSimpleName();
        return isSafe(root) && root.getMessage() != null
                ? name + " (" + ErrorText.masked(firstLine(root.getMessage())) + ")"
                : name;
    }

    /** Network, database and Kafka client errors speak of hosts, topics and states, not of content; of addresses sometimes. */
    private static boolean isSafe(Throwable error) {
        return error instanceof IOException && error.getClass().getName().startsWith("java.") && !namesContent(error)
                || error instanceof SQLException sql
                        && sql.getSQLState() != null
                        && !sql.getSQLState().startsWith("2")
                || error.getClass().getName().startsWith("org.apache.kafka.");
    }

    /** Their text is a URL or the name of a file, which may be made from a payload. */
    private static boolean namesContent(Throwable error) {
        return error instanceof MalformedURLException
                || error instanceof FileNotFoundException
                || error instanceof FileSystemException;
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("").strip();
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}
