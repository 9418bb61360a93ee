package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Selection;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan dead-letters export}: writes dead letters as JSON lines. */
@Command(
        name = "export",
        sortOptions = false,
        description = {
            "Write dead letters with payload and headers, ordered by subscription and id.",
            "Each line is a JSON object:",
            "  {\"aggregateType\":…, \"aggregateId\":…, \"type\":…, \"messageId\":…, \"headers\":…, \"payload\":…,"
                    + " \"deadLetter\":{\"subscription\":…, \"id\":…, \"errorText\":…, …}}",
            "A binary payload is Base64 in \"payloadBase64\" instead of \"payload\". The JSON value null is"
                    + " \"payloadText\":\"null\".",
            "Nothing is changed. caravan publish can read such a file and ignores \"deadLetter\"; the messages are"
                    + " then new messages for every subscription. It refuses a message with an empty key, or with an object or a"
                    + " list as a header. To deliver them again to their subscription only, use"
                    + " retry."
        })
final class DeadLettersExportCommand implements Callable<Integer> {
    /** Number of dead letters in memory at once. */
    private static final int CHUNK = 20;

    @Mixin
    private MessageFilterOptions.OfDeadLetters filter;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "Write to this new file, readable only by its owner. Default: standard output.")
    private Path file;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException, IOException {
        DataSource database = Database.forCommand(options.settings());
        filter.check(database, " Nothing was written.");
        try (Interruption interruption = new Interruption()) {
            Selection set = new DeadLetterSearch(database).select(filter.filter(), found -> interruption.mayContinue());
            if (set.size() == 0 && interruption.mayContinue()) {
                options.report(filter.nothingFound() + " Nothing was written.");
                return 0;
            }
            long written = file == null
                    ? write(database, set, options.out(), interruption)
                    : writeFile(database, set, interruption);
            options.report((interruption.mayContinue() ? "Wrote " : "Interrupted: wrote ")
                    + Formatted.counted(written, "dead letter")
                    + (file == null ? "." : " to " + file + "."));
            return interruption.mayContinue() ? 0 : Interruption.EXIT;
        }
    }

    private long writeFile(DataSource database, Selection set, Interruption interruption)
            throws SQLException, IOException {
        try {
            Files.createFile(file, ownerOnly());
        } catch (FileAlreadyExistsException e) {
            throw options.wrong("The file " + file + " already exists. Nothing was written. Choose another name.");
        } catch (FileSystemException e) {
            throw options.wrong("Could not create the file " + file
                    + ". Nothing was written. Its folder must exist and be writable.");
        }
        try (BufferedWriter writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
                PrintWriter out = new PrintWriter(writer)) {
            return write(database, set, out, interruption);
        }
    }

    private static FileAttribute<?>[] ownerOnly() {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    private long write(DataSource database, Selection set, PrintWriter out, Interruption interruption)
            throws SQLException {
        DeadLetters deadLetters = new DeadLetters(database);
        long written = 0;
        for (Selection.Chunk chunk : set.chunks(CHUNK)) {
            if (!interruption.mayContinue()) {
                break;
            }
            for (DeadLetter letter : deadLetters.load(chunk.subscription(), chunk.ids())) {
                out.print(ExportLine.of(letter));
                out.print('\n');
                written++;
            }
            if (out.checkError()) {
                throw new CommandFailure("The output was closed or is full. It has "
                        + Formatted.counted(written, "dead letter") + " at most.");
            }
        }
        return written;
    }
}
