package dev.caravan.cli;

import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.draft.Destination;
import dev.caravan.routes.draft.Draft;
import dev.caravan.routes.draft.EditorSchema;
import dev.caravan.routes.draft.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan new}: writes a route file for a common destination. */
@Command(
        name = "new",
        sortOptions = false,
        description = {
            "Write a small route file for a destination into the routes folder, and a file with its settings beside it.",
            "Asks on a terminal for what is not given as an option. Overwrites nothing, sends nothing, and needs no database.",
            "Then checks the route and says what is still missing. A running relay loads a new route by itself, but reads settings"
                    + " only at start.",
            "Exit code: 0 the route can run, 1 the check found a problem or the route could not be written, 2 usage error. A route"
                    + " that was written is kept."
        })
final class NewCommand implements Callable<Integer> {
    private static final String YAML = ".camel.yaml";

    private static final Table<Destination> DESTINATIONS = new Table<Destination>()
            .column("DESTINATION", Destination::id)
            .column("WRITES", Destination::description)
            .column(
                    "REQUIRED OPTIONS",
                    each -> each.required().map(Question::option).collect(Collectors.joining(" ")))
            .column("COMPONENT TO ADD", each -> each.component().orElse(""));

    @Mixin
    private SettingsOptions options;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            description =
                    "Name of the route, its subscription and its files. error-handling or dead-letter: write a copy of this"
                            + " built-in file, to change it.")
    private String name;

    @Mixin
    private DraftOptions draft;

    @Option(names = "--list", description = "List the destinations with the options that each requires.")
    private boolean list;

    @Option(
            names = {"--print", "--dry-run"},
            description = "Print the files instead of writing them.")
    private boolean print;

    @Override
    public Integer call() throws Exception {
        if (list) {
            options.print(DESTINATIONS.text(List.of(Destination.values())));
            return 0;
        }
        if (name == null) {
            throw options.wrong("Missing parameter: NAME, for example order-webhook.");
        }
        return BuiltInRoutes.NAMES.contains(name + YAML) ? copy() : create();
    }

    /** Writes a copy of a built-in file, which replaces it. */
    private int copy() throws IOException {
        if (draft.areGiven()) {
            throw options.wrong(name + " is the name of a built-in file. Choose another name for the route, or give no"
                    + " destination to write a copy of that file.");
        }
        String text = BuiltInRoutes.text(name + YAML);
        if (print) {
            options.print(text.stripTrailing());
            return 0;
        }
        Path file = routes().resolve(name + YAML);
        NewFiles.write(Map.of(file, text));
        options.print("Wrote " + file
                + ". It replaces the built-in file of this name, which upgrades improve: change it, or remove"
                + " it again.");
        options.print("See which one is active: ./caravan check");
        return 0;
    }

    private int create() throws Exception {
        draft.requireName(name);
        Draft described = draft.draft(destination -> name, "", Map.of());
        String settings = described.newSettings(options.ofRelay());
        if (print) {
            options.print(
                    (settings.isEmpty() ? described.route() : described.route() + "---\n" + settings).stripTrailing());
            return 0;
        }
        Path routes = routes();
        Map<Path, String> files = new LinkedHashMap<>();
        if (!settings.isEmpty()) { // before the route, which a running relay loads
            files.put(routes.resolve(name + ".properties"), settings);
        }
        files.put(routes.resolve(name + YAML), described.route());
        NewFiles.write(files);
        EditorSchema.writeBeside(routes);
        options.print("Wrote "
                + files.keySet().stream().sorted().map(Path::toString).collect(Collectors.joining(" and ")) + ".");
        boolean ok = new NewRoute(described, options.ofRelay()).report(options);
        if (!settings.isEmpty()) {
            options.print("A relay that is running reads the new settings when it is started again.");
        }
        options.print("Try it, nothing is sent: ./caravan try " + routes.resolve(name + YAML) + " --samples");
        options.print("Check all routes: ./caravan check");
        options.print("Test it in the build of your team: docs/testing-routes.md");
        return ok ? 0 : 1;
    }

    private Path routes() {
        Path routes = Path.of(options.ofRelay().text("caravan.routes", "routes"));
        if (!Files.isDirectory(routes)) {
            throw new CommandFailure("Could not write the route: the folder " + routes.toAbsolutePath()
                    + " does not exist. Nothing was written. Create it, or set caravan.routes (CARAVAN_ROUTES).");
        }
        return routes;
    }
}
