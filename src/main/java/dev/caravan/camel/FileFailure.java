package dev.caravan.camel;

import dev.caravan.base.text.Causes;
import org.apache.camel.ExchangeException;

/**
 * Classifies failures of steps that write files. Used by the error handling of the routes.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class FileFailure {
    private FileFailure() {}

    /** Whether the file system, or a server, will never accept a name of this length. */
    public static boolean isOfALongName(@ExchangeException Exception error) {
        return Causes.of(error)
                .map(cause -> String.valueOf(cause.getMessage()))
                .anyMatch(text -> text.contains("File name too long"));
    }
}
