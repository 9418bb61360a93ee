package dev.caravan.base.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.util.Objects;
import java.util.Optional;
import java.util.jar.Attributes;

/** The version of Caravan, and the commit that it was built from. */
public final class ProgramVersion {
    private static final Attributes.Name COMMIT = new Attributes.Name("Caravan-Commit");
    private static final int SHORT = 12;

    private ProgramVersion() {}

    /** {@code 0.1.0}; {@code unpackaged} when the classes do not come from a jar. */
    public static String text() {
        return Objects.requireNonNullElse(ProgramVersion.class.getPackage().getImplementationVersion(), "unpackaged");
    }

    /** The first 12 characters of the commit; empty when the classes do not come from a jar, or the jar was not built in a clone. */
    public static Optional<String> commit() {
        try {
            if (ProgramVersion.class.getResource("ProgramVersion.class").openConnection()
                    instanceof JarURLConnection jar) {
                return Optional.ofNullable(jar.getMainAttributes().getValue(COMMIT))
                        .filter(commit -> commit.length() >= SHORT)
                        .map(commit -> commit.substring(0, SHORT));
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
