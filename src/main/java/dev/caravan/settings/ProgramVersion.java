package dev.caravan.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of Caravan. */
public final class ProgramVersion {
    private static final String MAVEN = "/META-INF/maven/dev.caravan/caravan/pom.properties";

    private ProgramVersion() {}

    /** {@code 0.1.0}; {@code unpackaged} when the classes do not come from a jar. */
    public static String text() {
        try (var stream = ProgramVersion.class.getResourceAsStream(MAVEN)) {
            if (stream == null) {
                return "unpackaged";
            }
            Properties built = new Properties();
            built.load(stream);
            return built.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
