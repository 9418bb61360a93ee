package dev.caravan.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Commands that start servers of their own. Their classes are named, not referenced: the class path of a relay does not
 * hold the embedded servers, and the other commands work without them.
 */
final class ServerCommands {
    private static final String EMBEDDED_SERVER = "io/zonky/test/db/postgres/embedded/EmbeddedPostgres.class";

    private static final List<ServerCommand> ALL = List.of(
            new ServerCommand(
                    "demo",
                    "dev.caravan.demo.DemoCommand",
                    "Start Postgres, Kafka, a mail server, an SMS gateway and a relay, and watch messages travel."),
            new ServerCommand(
                    "bench", "dev.caravan.bench.BenchCommand", "Measure the relay on servers started for it."),
            new ServerCommand(
                    "torture",
                    "dev.caravan.torture.TortureCommand",
                    "Kill and restart relays at random, and count what arrives."));

    private ServerCommands() {}

    static void addTo(CommandLine root) {
        boolean serversAreHere = isOnClassPath(EMBEDDED_SERVER);
        for (ServerCommand command : ALL) {
            if (isOnClassPath(command.className.replace('.', '/') + ".class")) {
                root.addSubcommand(command.name, serversAreHere ? command.load() : command.placeholder());
            }
        }
    }

    private static boolean isOnClassPath(String resource) {
        return ServerCommands.class.getClassLoader().getResource(resource) != null;
    }

    private record ServerCommand(String name, String className, String description) {
        Object load() {
            try {
                return Class.forName(className);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e); // its file was just found
            }
        }

        CommandSpec placeholder() {
            Callable<Integer> refuse = () -> {
                throw new CommandFailure("Could not start " + name
                        + ": the embedded servers (target/lib-demo) are not on the class path. Start it with: ./caravan "
                        + name);
            };
            CommandSpec spec = CommandSpec.wrapWithoutInspection(refuse);
            spec.usageMessage().description(description);
            spec.parser().unmatchedArgumentsAllowed(true).unmatchedOptionsArePositionalParams(true);
            return spec;
        }
    }
}
