package dev.caravan.cli;

import dev.caravan.settings.ProgramVersion;
import org.apache.camel.CamelContext;
import picocli.CommandLine.IVersionProvider;

/** Prints the versions of Caravan, Camel and Java. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "Caravan " + ProgramVersion.text() + " (Camel "
                    + CamelContext.class.getPackage().getImplementationVersion() + ", Java "
                    + System.getProperty("java.version") + ")"
        };
    }
}
