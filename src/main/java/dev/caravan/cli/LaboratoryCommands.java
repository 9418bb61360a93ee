package dev.caravan.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands demo, bench and torture. They are in a separate jar that a relay does not need. Without the jar the help does not
 * list them, and they fail with a message that says how to build it.
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
