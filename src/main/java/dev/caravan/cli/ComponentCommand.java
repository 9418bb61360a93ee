package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan component}: commands on the folder {@code lib}. */
@Command(
        name = "component",
        description = "Add further Camel components and other jars to the folder lib, list them, or remove them.",
        subcommands = {ComponentAddCommand.class, ComponentListCommand.class, ComponentRemoveCommand.class})
final class ComponentCommand extends CommandGroup {
    ComponentCommand() {
        super("Missing subcommand: add, list or remove.");
    }
}
