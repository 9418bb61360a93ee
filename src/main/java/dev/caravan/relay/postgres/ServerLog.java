package dev.caravan.relay.postgres;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The log files of the server. It writes them itself, a new one after each start and after 10 MB; their names sort by time. Used by one thread at a
 * time.
 */
final class ServerLog {
    /** The settings of the server that the methods rely on. The folder is relative to that of the data. */
    static final String SETTINGS = """
            logging_collector = on
            log_directory = '../log'
            log_filename = 'server-%Y%m%d-%H%M%S.log'
            log_rotation_size = 10MB
            log_rotation_age = 0
            log_timezone = 'UTC'
            log_line_prefix = '%m [%p] '
            """;

    private static final int KEPT = 5;
    private static final int LAST_LINES = 15;
    private static final int MAX_READ = 1 << 20;

    /** What a person should know of. Errors of statements are known to the one who ran them. */
    private static final Pattern SERIOUS =
            Pattern.compile(" (PANIC|FATAL):  |was terminated by signal|No space left on device");

    /** Each stop and each start of a server writes these. */
    private static final Pattern USUAL =
            Pattern.compile("FATAL:  (terminating .* due to administrator command|the database system is .*)");

    private final Path folder;
    private Path file;
    private long read;

    ServerLog(Path folder) {
        this.folder = folder;
    }

    /** The files, the oldest first. */
    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.list(folder)) {
            return all.filter(each -> each.getFileName().toString().matches("server-[0-9-]+\\.log"))
                    .sorted()
                    .toList();
        }
    }

    /** What is written from now on is new. */
    void skip() throws IOException {
        List<Path> files = files();
        file = files.isEmpty() ? null : files.get(files.size() - 1);
        read = file == null ? 0 : Files.size(file);
    }

    /** The new lines that a person should know of. */
    List<String> serious() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path each : files()) {
            int order = file == null ? 1 : each.compareTo(file);
            if (order > 0) {
                file = each;
                read = 0;
            }
            if (order >= 0) {
                String text = newText();
                text.lines()
                        .filter(line -> SERIOUS.matcher(line).find()
                                && !USUAL.matcher(line).find())
                        .forEach(lines::add);
            }
        }
        return lines;
    }

    /** Whole lines only; of very much, the end. */
    private String newText() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long from = Math.max(read, channel.size() - MAX_READ);
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, channel.size() - from));
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
                // until the end that was seen above
            }
            int end = bytes.position();
            while (end > 0 && bytes.get(end - 1) != '\n') {
                end--;
            }
            read = from + end;
            return new String(bytes.array(), 0, end, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Removes all but the newest files, with the rights of that user: the folder may be a link of its owner to another one. */
    void prune(ServerUser user) throws IOException {
        List<Path> files = files();
        if (files.size() > KEPT) {
            user.shell("", "rm -f \"$@\"", files.subList(0, files.size() - KEPT).toArray(Path[]::new));
        }
    }

    /** The last lines of the newest file, without those that sessions cause while it starts. */
    String last() throws IOException {
        List<Path> files = files();
        if (files.isEmpty()) {
            return "";
        }
        String text = new String(Files.readAllBytes(files.get(files.size() - 1)), StandardCharsets.UTF_8);
        return last(text.lines().filter(line -> !USUAL.matcher(line).find()).collect(Collectors.joining("\n")));
    }

    /** The last lines of a text. */
    static String last(String text) {
        List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
        return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
                .map(line -> "  " + line)
                .collect(Collectors.joining("\n"));
    }
}
