package dev.caravan.cli;

import java.io.IOException;
import java.util.Properties;
import org.apache.camel.CamelContext;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar was built as. */
final class Version implements IVersionProvider {
    private static final String MAVEN = "/META-INF/maven/dev.caravan/caravan/pom.properties";

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "Caravan " + caravan() + " (Camel "
                    + CamelContext.class.getPackage().getImplementationVersion() + ", Java "
                    + System.getProperty("java.version") + ")"
        };
    }

    private static String caravan() throws IOException {
        try (var stream = Version.class.getResourceAsStream(MAVEN)) {
            if (stream == null) {
                return "unpackaged";
            }
            Properties built = new Properties();
            built.load(stream);
            return built.getProperty("version");
        }
    }
}
