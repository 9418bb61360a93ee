package dev.caravan.cli;

import dev.caravan.base.settings.ProgramVersion;
import org.apache.camel.CamelContext;
import picocli.CommandLine.IVersionProvider;

/** Prints the version and the commit of Caravan, and the versions of Camel and Java. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "Caravan " + ProgramVersion.text() + " ("
                    + ProgramVersion.commit()
                            .map(commit -> "commit " + commit + ", ")
                            .orElse("") + "Camel "
                    + CamelContext.class.getPackage().getImplementationVersion() + ", Java "
                    + System.getProperty("java.version") + ")"
        };
    }
}
