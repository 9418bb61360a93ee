package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.routes.component.Additions;
import dev.caravan.routes.component.Artifact;
import dev.caravan.routes.component.LibFolder;
import dev.caravan.routes.component.RelayLibraries;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan component add}: adds a component and its dependencies to the folder {@code lib}. */
@Command(
        name = "add",
        description = {
            "Add a Camel component, data format or language to the folder lib, with the libraries that the relay does not have.",
            "Its version is that of the relay's Camel. Nothing is changed if it is incompatible with the relay or with"
                    + " the other jars in lib. Restart the relay afterwards."
        })
final class ComponentAddCommand implements Callable<Integer> {
    private static final String CENTRAL = "https://repo.maven.apache.org/maven2";
    private static final String DOWNLOADER = "org.eclipse.aether.supplier.RepositorySystemSupplier";

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions options;

    @Parameters(
            arity = "1..*",
            paramLabel = "NAME",
            description = "aws2-sqs for camel-aws2-sqs; or group:artifact:version for any other jar.")
    private List<String> names;

    @ArgGroup
    private Origin origin = new Origin();

    private static final class Origin {
        @Option(
                names = "--repository",
                paramLabel = "URL",
                description =
                        "A Maven repository, such as a mirror in your network. Default: the variable CARAVAN_REPOSITORY,"
                                + " or else Maven Central.")
        private URI repository;

        @Option(
                names = "--from",
                paramLabel = "DIR",
                description =
                        "A folder with the layout of a Maven repository, such as ~/.m2/repository. No network is used.")
        private Path folder;
    }

    @Override
    public Integer call() {
        Settings settings = options.ofRelay();
        requireDownloader();
        RelayLibraries relay = RelayLibraries.read();
        List<Artifact> artifacts = names.stream()
                .map(name -> Artifact.named(name, relay.camelVersion()))
                .toList();
        Additions additions = new Additions(relay, new LibFolder(Path.of(settings.text("caravan.lib", "lib")), relay));
        PrintWriter out = spec.commandLine().getOut();
        additions.add(artifacts, address(), out::println);
        out.flush();
        return 0;
    }

    private URI address() {
        if (origin.folder != null) {
            if (!origin.folder.toFile().isDirectory()) {
                throw new ParameterException(spec.commandLine(), "--from: " + origin.folder + " is not a folder.");
            }
            return origin.folder.toAbsolutePath().normalize().toUri();
        }
        String given = System.getenv().getOrDefault("CARAVAN_REPOSITORY", "");
        URI address = origin.repository != null ? origin.repository : URI.create(given.isEmpty() ? CENTRAL : given);
        if (!List.of("http", "https", "file").contains(String.valueOf(address.getScheme()))) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--repository must begin with https:, http: or file:, got " + address.getScheme() + ".");
        }
        return address;
    }

    private static void requireDownloader() {
        try {
            Class.forName(DOWNLOADER, false, ComponentAddCommand.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new CommandFailure(
                    "Could not add a component: the libraries that download it (lib-component) are not on the"
                            + " class path, as in the container image. Nothing was changed. Run ./caravan component add in a clone or an"
                            + " unpacked tarball, and mount or copy its folder lib.");
        }
    }
}
