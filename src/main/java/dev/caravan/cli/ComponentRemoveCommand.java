package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan component remove}: removes components, with the jars that no other component needs. */
@Command(
        name = "remove",
        description = {
            "Remove components that were added to the folder lib, with the jars that no other added component needs.",
            "Jars that were copied there manually remain. Restart the relay afterwards."
        })
final class ComponentRemoveCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions options;

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "As component list shows it.")
    private List<String> names;

    @Override
    public Integer call() {
        Settings settings = options.ofRelay();
        Path folder = Path.of(settings.text("caravan.lib", "lib"));
        List<String> deleted = new LibFolder(folder, RelayLibraries.read()).remove(names);
        PrintWriter out = spec.commandLine().getOut();
        out.println("Removed " + String.join(", ", names) + ": deleted " + Formatted.counted(deleted.size(), "jar")
                + " in " + folder + ". Restart the relay.");
        out.flush();
        return 0;
    }
}
