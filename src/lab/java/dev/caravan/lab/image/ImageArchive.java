package dev.caravan.lab.image;

import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.lab.servers.TemporaryFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Writes the class archive of an image: runs the relay of the image on the Java of the image until a message is delivered. Java uses an
 * archive only with the Java and the paths with which it was written. Arguments: the image file, {@code jvm.flags}, and the folder for
 * both files of the next build.
 */
public final class ImageArchive {
    private static final String ARCHIVE = "classes.jsa";
    private static final String MESSAGE = """
            insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '1', 'order.created', '{}')""";
    private static final String DELIVERED =
            "select from outbox_subscription where name = 'orders-to-kafka' and position > 0 and isempty(gaps)";

    /** The exit status where crun cannot run a container, for example inside another container. */
    private static final int CANNOT_RUN = 75;

    private ImageArchive() {}

    public static void main(String[] arguments) throws Exception {
        Path target = Path.of(arguments[2]);
        try (var folder = new TemporaryFolder("caravan-image-")) {
            UnpackedImage image = UnpackedImage.of(Path.of(arguments[0]), folder.path());
            requireContainers(image, folder.path().resolve("java"));
            Path archive = write(image, folder.path().resolve("relay"));
            Files.createDirectories(target);
            Files.write(target.resolve(ARCHIVE), Files.readAllBytes(archive));
        }
        List<String> flags = new ArrayList<>(Files.readAllLines(Path.of(arguments[1])));
        flags.add("SharedArchiveFile=/caravan/" + ARCHIVE);
        Files.write(target.resolve("jvm.flags"), flags);
        System.exit(0); // threads of the servers may still run
    }

    private static void requireContainers(UnpackedImage image, Path folder) throws Exception {
        try (var java = Container.start(image, folder, List.of("java", "-version"), Map.of(), Map.of())) {
            if (java.exitStatus() != 0) {
                System.err.println("Could not run a container with crun on this machine: " + java.output());
                System.exit(CANNOT_RUN);
            }
        }
    }

    private static Path write(UnpackedImage image, Path folder) throws Exception {
        try (var postgres = PostgresServer.start();
                var kafka = KafkaBroker.start()) {
            String name = postgres.createDatabase();
            DataSource database = postgres.dataSource(name);
            new Schema(database).apply();
            has(database, MESSAGE + " returning id");
            var environment = Map.of(
                    "CARAVAN_DB_URL", postgres.url(name),
                    "CARAVAN_DB_USER", postgres.user(),
                    "CARAVAN_DB_PASSWORD", postgres.password(),
                    "CAMEL_COMPONENT_KAFKA_BROKERS", kafka.bootstrapServers(),
                    "CAMEL_MANAGEMENT_PORT", Integer.toString(FreePorts.one()));
            try (var relay = Container.start(image, folder, command(image), environment, Map.of())) {
                relay.await("the relay has delivered a message", () -> has(database, DELIVERED));
                relay.terminate();
                relay.exitStatus();
                return relay.temporary().resolve(ARCHIVE);
            }
        }
    }

    /** The command {@code run}, which writes the archive at its end. Omits the flags of the image, which may name an archive to read. */
    private static List<String> command(UnpackedImage image) {
        return image.command("run").stream()
                .map(word -> word.startsWith("-XX:Flags=") ? "-XX:ArchiveClassesAtExit=/tmp/" + ARCHIVE : word)
                .toList();
    }

    private static boolean has(DataSource database, String query) throws Exception {
        try (var connection = database.getConnection()) {
            return !Sql.rows(connection, query, row -> row).isEmpty();
        }
    }
}
