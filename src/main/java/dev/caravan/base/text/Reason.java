package dev.caravan.base.text;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.camel.http.base.HttpOperationFailedException;

/** The cause of a failure in one line that is safe to log: without payloads, addresses and phone numbers. */
public final class Reason {
    private static final int MAX_LENGTH = 500;

    /**
     * The beginnings of the SQLSTATEs (SQL standard; Postgres, appendix A) of connections, transactions, logins, rights, names and types, and
     * servers. Texts of others, for example of those that a function of a user raises, can quote values.
     */
    private static final Set<String> WITHOUT_VALUES = Set.of(
            "08", "0A", "25", "26", "28", "3D", "3F", "40", "42501", "427", "428", "42P", "42S", "53", "55", "57",
            "58");

    /** Those of them whose texts name what a statement uses, in quotation marks. */
    private static final Set<String> OF_STATEMENT = Set.of("0A", "3F", "42", "55", "58");

    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");

    /** What the operating system says, in a plain {@link IOException} or as the reason of an exception of a file. */
    private static final Set<String> OF_SYSTEM = Set.of(
            "Broken pipe",
            "Connection reset by peer",
            "Connection timed out",
            "Disk quota exceeded",
            "File name too long",
            "Input/output error",
            "No space left on device",
            "Not a directory",
            "Permission denied",
            "Read-only file system",
            "Stale file handle",
            "Too many open files");

    /** The beginnings of the names of exceptions of the network and of certificates. A plain {@link IOException} can have any text. */
    private static final List<String> OF_NETWORK = List.of(
            "java.net.",
            "java.nio.channels.",
            "javax.net.ssl.",
            "java.security.cert.",
            "sun.security.",
            "java.io.EOFException",
            "java.io.InterruptedIOException",
            "org.apache.hc.client5.http.ConnectTimeoutException",
            "org.apache.hc.client5.http.HttpHostConnectException",
            "org.apache.hc.core5.http.ConnectionClosedException",
            "org.apache.hc.core5.http.NoHttpResponseException",
            "dev.caravan.camel.NoAnswerException");

    private Reason() {}

    /** @param failure null if the route marked the exchange for rollback without an exception */
    public static String of(Throwable failure) {
        return of(failure, UnaryOperator.identity(), text -> true, "");
    }

    /**
     * As {@link #of(Throwable)}, for a step of a route. The text of an error about an address that the route computes from a message is omitted, and
     * one of a statement with a name that the statement does not have: it may be the value of a parameter.
     *
     * @param without removes the contents of the message from a text
     * @param uri of the endpoint that failed; null if unknown
     * @param isComputed whether its address has values of the message
     */
    public static String ofStep(Throwable failure, UnaryOperator<String> without, String uri, boolean isComputed) {
        String address = uri == null ? "" : uri;
        Predicate<String> isOfRoute =
                text -> !isComputed && (!isOfStatement(Causes.root(failure)) || hasAllNames(address, text));
        int scheme = address.indexOf(':');
        return of(
                failure,
                without,
                isOfRoute,
                isComputed
                        ? " (the route computes the address" + (scheme < 0 ? "" : " of " + address.substring(0, scheme))
                                + ")"
                        : "");
    }

    /** Whether the text of an error names what a statement uses. Texts about the connection have names of the settings. */
    private static boolean isOfStatement(Throwable error) {
        return error instanceof SQLException sql
                && sql.getSQLState() != null
                && OF_STATEMENT.stream().anyMatch(sql.getSQLState()::startsWith);
    }

    private static boolean hasAllNames(String statement, String text) {
        String written = statement.toLowerCase(Locale.ROOT);
        return QUOTED.matcher(text)
                .results()
                .allMatch(name -> written.contains(name.group(1).toLowerCase(Locale.ROOT)));
    }

    /**
     * @param isShown whether a text that is safe without values of a message may be shown
     * @param instead of such a text
     */
    private static String of(
            Throwable failure, UnaryOperator<String> without, Predicate<String> isShown, String instead) {
        if (failure == null) {
            return "the route marked it for rollback";
        }
        Throwable root = Causes.root(failure);
        if (root instanceof HttpOperationFailedException http) {
            return "the destination answered " + http.getStatusCode();
        }
        String name = name(root.getClass());
        String text = root instanceof FileSystemException file ? file.getReason() : root.getMessage();
        boolean isOfSystem = root instanceof IOException && text != null && OF_SYSTEM.contains(text);
        if (text != null && (isOfSystem || isSafe(root))) {
            String line = firstLine(without.apply(text));
            if (isOfSystem || isShown.test(line)) {
                return name + " (" + ErrorText.masked(line) + ")";
            }
            if (!(root instanceof SQLException)) {
                return name + instead;
            }
        }
        return root instanceof SQLException sql && sql.getSQLState() != null
                ? name + " (SQLSTATE " + firstLine(sql.getSQLState()) + code(sql) + ")"
                : name;
    }

    /** Tells more than the state of databases other than Postgres, which have one state for many errors. */
    private static String code(SQLException error) {
        return error.getErrorCode() == 0 ? "" : ", error " + error.getErrorCode();
    }

    /** The name without the package. An anonymous class has no simple name. */
    private static String name(Class<?> type) {
        String name = type.getSimpleName();
        return name.isEmpty() ? type.getName().replaceFirst("^.*\\.", "") : name;
    }

    /** Errors of network, database and Kafka clients contain hosts, topics and states, but no content of messages. */
    private static boolean isSafe(Throwable error) {
        return OF_NETWORK.stream().anyMatch(error.getClass().getName()::startsWith) && !namesContent(error)
                || error instanceof SQLException sql
                        && sql.getSQLState() != null
                        && WITHOUT_VALUES.stream().anyMatch(sql.getSQLState()::startsWith)
                || error.getClass().getName().startsWith("org.apache.kafka.");
    }

    /** Whether the text is a URL, which may contain parts of a payload. */
    private static boolean namesContent(Throwable error) {
        return error instanceof MalformedURLException || error instanceof URISyntaxException;
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("").strip();
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
    }
}
