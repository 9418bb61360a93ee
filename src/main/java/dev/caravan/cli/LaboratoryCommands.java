package dev.caravan.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands that start servers of their own. They are in a jar that the class path of a relay does not hold; without it
 * they are not listed, and say what is missing.
 */
final class LaboratoryCommands {
    private static final List<String> NAMES = List.of("demo", "bench", "torture");

    private LaboratoryCommands() {}

    static void addTo(CommandLine root, Iterable<AddedCommand> found) {
        found.forEach(root::addSubcommand);
        NAMES.stream()
                .filter(name -> !root.getSubcommands().containsKey(name))
                .forEach(name -> root.addSubcommand(name, missing(name)));
    }

    private static CommandSpec missing(String name) {
        Callable<Integer> refuse = () -> {
            throw new CommandFailure("Could not start " + name
                    + ": target/caravan-lab.jar and target/lib-lab are not on the class path."
                    + " Run ./caravan " + name + " in a folder with the sources of Caravan; it builds them.");
        };
        CommandSpec spec = CommandSpec.wrapWithoutInspection(refuse);
        spec.usageMessage().hidden(true);
        spec.parser().unmatchedArgumentsAllowed(true).unmatchedOptionsArePositionalParams(true);
        return spec;
    }
}
