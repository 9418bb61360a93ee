package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.routes.component.Additions;
import dev.caravan.routes.component.Artifact;
import dev.caravan.routes.component.CatalogOfComponents;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import dev.caravan.routes.component.Repository;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan component}: commands on the folder {@code lib}. */
@Command(
        name = "component",
        description = "Add further Camel components and other jars to the folder lib, list them, or remove them.")
final class ComponentCommand extends CommandGroup {
    private static final String DOWNLOADER = "org.eclipse.aether.supplier.RepositorySystemSupplier";

    ComponentCommand() {
        super("add", "list", "remove");
    }

    /** Where the jars come from. */
    private static final class Origin {
        @Option(
                names = "--repository",
                paramLabel = "URL",
                description =
                        "A Maven repository, as URL or ID::URL with the id of its server in settings.xml. Default: the variable"
                                + " CARAVAN_REPOSITORY, or else Maven Central or its mirror in settings.xml.")
        private String repository;

        @Option(
                names = "--from",
                paramLabel = "DIR",
                description =
                        "A folder with the layout of a Maven repository, such as ~/.m2/repository. No network is used.")
        private Path folder;
    }

    @Command(
            name = "add",
            description = {
                "Add a Camel component, data format or language to the folder lib, with the libraries that the relay does not have.",
                "Its version is that of the relay's Camel. Nothing is changed if it is incompatible with the relay or with"
                        + " the other jars in lib. Restart the relay afterwards."
            })
    void add(
            @Mixin SettingsOptions options,
            @Parameters(
                            arity = "1..*",
                            paramLabel = "NAME",
                            description = "aws2-sqs for camel-aws2-sqs; or group:artifact:version for any other jar.")
                    List<String> names,
            @ArgGroup Origin origin,
            @Option(
                            names = "--maven-settings",
                            paramLabel = "FILE",
                            description =
                                    "The file with mirrors, logins and proxies of Maven. Default: ~/.m2/settings.xml, if it exists.")
                    Path mavenSettings) {
        Path folder = folder(options);
        requireDownloader();
        RelayLibraries relay = RelayLibraries.read();
        List<Artifact> artifacts = names.stream()
                .map(name -> Artifact.named(name, relay.camelVersion()))
                .toList();
        Repository repository = repository(origin == null ? new Origin() : origin, mavenSettings, options);
        new Additions(relay, new LibFolder(folder, relay)).add(artifacts, repository, options.out()::println);
        options.out().flush();
    }

    private static Path folder(SettingsOptions options) {
        return Path.of(options.ofRelay().text("caravan.lib", "lib"));
    }

    private static Repository repository(Origin origin, Path mavenSettings, SettingsOptions options) {
        if (origin.folder != null) {
            if (!origin.folder.toFile().isDirectory()) {
                throw options.wrong("--from: " + origin.folder + " is not a folder.");
            }
            return Repository.of(origin.folder);
        }
        if (mavenSettings != null && !mavenSettings.toFile().isFile()) {
            throw options.wrong("--maven-settings: " + mavenSettings + " is not a file.");
        }
        Path settings =
                mavenSettings != null ? mavenSettings : Path.of(System.getProperty("user.home"), ".m2", "settings.xml");
        String given =
                origin.repository != null ? origin.repository : System.getenv().getOrDefault("CARAVAN_REPOSITORY", "");
        return given.isEmpty() ? Repository.central(settings) : given(given, settings, options);
    }

    private static Repository given(String text, Path settings, SettingsOptions options) {
        try {
            Repository repository = Repository.given(text, settings);
            String scheme = String.valueOf(repository.address().getScheme());
            if (!List.of("http", "https", "file").contains(scheme)) {
                throw options.wrong("--repository must begin with https:, http: or file:, got " + scheme + ".");
            }
            return repository;
        } catch (IllegalArgumentException e) {
            throw options.wrong("--repository: " + e.getMessage() + ".");
        }
    }

    private static void requireDownloader() {
        try {
            Class.forName(DOWNLOADER, false, ComponentCommand.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new CommandFailure(
                    "Could not add a component: the libraries that download it (lib-component) are not on the"
                            + " class path, as in the container image. Nothing was changed. Run ./caravan component add in a clone or an"
                            + " unpacked tarball, and mount or copy its folder lib.");
        }
    }

    /** A component that was added, as JSON. */
    private record Added(String name, String artifact, List<String> jars) {}

    /** A component that can be added, as JSON. */
    private record Available(String kind, String name, String add, boolean inRelay) {}

    @Command(
            name = "list",
            description = {
                "List the components that were added to the folder lib.",
                "With --available: the components, data formats and languages of this version of Camel, and the name with which to"
                        + " add each, unless the relay already has it."
            })
    void list(
            @Mixin SettingsOptions options,
            @Mixin OutputOption output,
            @Option(names = "--available", description = "List what can be added instead.") boolean available) {
        Path folder = folder(options);
        RelayLibraries relay = RelayLibraries.read();
        if (available) {
            Table<Available> table = new Table<Available>()
                    .column("KIND", Available::kind)
                    .column("NAME IN ROUTES", Available::name)
                    .column("ADD WITH", entry -> entry.inRelay() ? "- (the relay has it)" : entry.add());
            List<Available> all = available(relay);
            output.print(table.text(all), all);
        } else {
            Table<Added> table = new Table<Added>("No components were added. ./caravan component add NAME adds one.")
                    .column("COMPONENT", Added::name)
                    .column("ARTIFACT", Added::artifact)
                    .column("JARS>", component -> component.jars().size());
            List<Added> all = added(new LibFolder(folder, relay));
            output.print(table.text(all), all);
        }
    }

    private static List<Added> added(LibFolder lib) {
        return lib.components().entrySet().stream()
                .map(component -> new Added(component.getKey(), component.getValue(), lib.jarsOf(component.getKey())))
                .toList();
    }

    private static List<Available> available(RelayLibraries relay) {
        return CatalogOfComponents.read().entries().stream()
                .map(entry -> new Available(
                        entry.kind(),
                        entry.name(),
                        entry.component(),
                        relay.versions().containsKey("org.apache.camel:" + entry.artifact())))
                .toList();
    }

    @Command(
            name = "remove",
            description = {
                "Remove components that were added to the folder lib, with the jars that no other added component needs.",
                "Jars that were copied there manually remain. Restart the relay afterwards."
            })
    void remove(
            @Mixin SettingsOptions options,
            @Parameters(arity = "1..*", paramLabel = "NAME", description = "As component list shows it.")
                    List<String> names) {
        Path folder = folder(options);
        List<String> deleted = new LibFolder(folder, RelayLibraries.read()).remove(names);
        options.print("Removed " + String.join(", ", names) + ": deleted " + Formatted.counted(deleted.size(), "jar")
                + " in " + folder + ". Restart the relay.");
    }
}
