package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.routes.draft.Destination;
import dev.caravan.routes.draft.Draft;
import dev.caravan.routes.draft.EditorSchema;
import dev.caravan.routes.draft.Project;
import dev.caravan.routes.draft.Question;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan init}: writes a folder for a relay. */
@Command(
        name = "init",
        sortOptions = false,
        description = {
            "Write a folder for a relay that a team can commit: settings, a route with a test and a sample message, and a README.",
            "Asks on a terminal for what is not given as an option. Overwrites nothing, sends nothing, and needs no database.",
            "Exit code: 0 the route can run, 1 the check found a problem or a file could not be written, 2 usage error. Files that were"
                    + " written are kept."
        })
final class InitCommand implements Callable<Integer> {
    private static final Map<Question, String> SUGGESTIONS =
            Map.of(Question.TYPE, "order.*", Question.TOPIC, "orders", Question.FOLDER, "delivered");

    @Mixin
    private CommandOptions options;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Parameters(
            paramLabel = "FOLDER",
            description = "The folder, for example my-relay. It is created if it does not exist.")
    private Path folder;

    @Option(names = "--name", paramLabel = "NAME", description = "Name of the route. Default: orders-to-DESTINATION.")
    private String name;

    @Mixin
    private DraftOptions draft;

    @Override
    public Integer call() throws Exception {
        if (name != null) {
            draft.requireName(name);
        }
        Draft described = draft.draft(this::nameOf, "file", SUGGESTIONS);
        Path root = folder.toAbsolutePath().normalize();
        if (Files.exists(root) && !Files.isDirectory(root)) {
            throw new CommandFailure(folder + " is not a folder. Nothing was written. Choose another name.");
        }
        Map<Path, String> files = new LinkedHashMap<>();
        new Project(String.valueOf(root.getFileName()), described)
                .files()
                .forEach((file, text) -> files.put(folder.resolve(file), text));
        NewFiles.write(files);
        EditorSchema.writeBeside(root.resolve("routes"));
        files.keySet().forEach(file -> options.print("Wrote " + file));
        Settings settings = Settings.load(
                root.resolve("application.properties"),
                Map.of("caravan.routes", root.resolve("routes").toString()), // whatever CARAVAN_ROUTES is
                options.caravan().environment());
        boolean ok = new NewRoute(described, settings).report(options);
        options.print("Next: cd " + folder + ", and read README.md");
        return ok ? 0 : 1;
    }

    private String nameOf(Destination destination) {
        return name == null ? "orders-to-" + destination.id() : name;
    }
}
