package dev.caravan.database;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder of a Postgres that a relay runs as its child: {@code embedded:/var/lib/caravan?port=5433&bin=/usr/lib/postgresql/18/bin} instead of
 * a JDBC URL. The relay starts the server; everybody else reads its port and its password here, for each session anew.
 *
 * @param origin where the URL comes from, as errors name it
 * @param port the port that is given; empty for a free one
 * @param bin the folder with the programs of Postgres; empty if they are to be searched
 */
public record EmbeddedFolder(String origin, Path folder, OptionalInt port, Optional<Path> bin) {
    /** The role that owns the tables, and its database. */
    public static final String ROLE = "caravan";

    private static final String SCHEME = "embedded:";
    private static final Pattern CONNECTION =
            Pattern.compile("postgresql://" + ROLE + ":(\\w+)@127\\.0\\.0\\.1:(\\d+)/" + ROLE + "\\s*");

    /** In the file with the process id of a server: the lines of the process id, the folder, the port and the state. */
    private static final int PID = 0;

    private static final int DATA = 1;
    private static final int PORT = 3;
    private static final int STATE = 7;

    /**
     * A server that runs.
     *
     * @param isReady whether it accepts connections
     */
    public record Running(long pid, int port, boolean isReady) {}

    /** The password, and the port at the last start. */
    public record Secret(String password, int port) {
        /** What {@code pg_dump} and {@code psql} understand. */
        public String uri() {
            return "postgresql://" + ROLE + ":" + password + "@127.0.0.1:" + port + "/" + ROLE;
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "Secret for port " + port;
        }
    }

    /**
     * The folder that {@code caravan.db.url} names; empty if it is another URL.
     *
     * @throws SettingsException if it names none
     */
    public static Optional<EmbeddedFolder> of(Settings settings) {
        return of("caravan.db.url", settings.text("caravan.db.url", ""));
    }

    static Optional<EmbeddedFolder> of(String origin, String url) {
        return url.toLowerCase(Locale.ROOT).startsWith(SCHEME)
                ? Optional.of(parse(origin, url.substring(SCHEME.length())))
                : Optional.empty();
    }

    private static EmbeddedFolder parse(String origin, String named) {
        int mark = named.indexOf('?');
        Path folder = absolute(origin, mark < 0 ? named : named.substring(0, mark));
        OptionalInt port = OptionalInt.empty();
        Optional<Path> bin = Optional.empty();
        for (String option :
                mark < 0 ? new String[0] : named.substring(mark + 1).split("&")) {
            int equals = option.indexOf('=');
            String value = option.substring(equals + 1);
            switch (option.substring(0, Math.max(0, equals))) {
                case "port" -> port = OptionalInt.of(port(origin, value));
                case "bin" -> bin = Optional.of(absolute(origin, value));
                default -> throw invalid(origin, "has only the options port and bin, got " + option);
            }
        }
        return new EmbeddedFolder(origin, folder, port, bin);
    }

    private static Path absolute(String origin, String text) {
        if (!text.startsWith("/") || text.startsWith("//")) {
            throw invalid(origin, "must name folders by absolute paths, got " + (text.isEmpty() ? "none" : text));
        }
        try {
            return Path.of(text).normalize();
        } catch (InvalidPathException e) {
            throw invalid(
                    origin,
                    "must name folders with the characters that the locale of Java has, got " + text
                            + ": set LC_ALL=C.UTF-8, or name another folder");
        }
    }

    private static int port(String origin, String text) {
        if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > 65_535) {
            throw invalid(origin, "must have a port between 1 and 65535, got " + text);
        }
        return Integer.parseInt(text);
    }

    private static SettingsException invalid(String origin, String problem) {
        return new SettingsException(origin + " " + problem
                + ". A Postgres that the relay runs itself is named such as embedded:/var/lib/caravan?port=5433");
    }

    public Path data() {
        return folder.resolve("data");
    }

    /** The file in which the server writes its process id; it removes the file when it ends, but not at a crash. */
    public Path processFile() {
        return data().resolve("postmaster.pid");
    }

    /** The file with the address and the password. Only its owner may read it. */
    public Path connection() {
        return folder.resolve("connection");
    }

    /** The server whose process id is in the folder with the data; empty if there is none, or if that process has ended. */
    public Optional<Running> running() throws IOException {
        try {
            List<String> lines = Files.readAllLines(processFile());
            if (lines.size() <= PORT) {
                return Optional.empty(); // it is being written
            }
            long pid = Long.parseLong(lines.get(PID).strip());
            boolean isReady = lines.size() > STATE && lines.get(STATE).strip().equals("ready");
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> isServer(lines.get(DATA).strip(), process))
                    .map(process ->
                            new Running(pid, Integer.parseInt(lines.get(PORT).strip()), isReady));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (NumberFormatException e) {
            throw new IOException(processFile() + " is damaged", e);
        }
    }

    /**
     * After a crash of the machine the number can belong to another process, perhaps of another Postgres. In a copy of the folder it is that of
     * the original, which is not to be stopped.
     */
    private boolean isServer(String data, ProcessHandle process) {
        try {
            return Files.isSameFile(Path.of(data), data())
                    && commandLine(process).map(line -> line.contains(data)).orElse(true);
        } catch (IOException | InvalidPathException e) {
            return false; // Postgres itself refuses a folder that was moved while it is used
        }
    }

    private static Optional<String> commandLine(ProcessHandle process) {
        try {
            return Optional.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline")));
        } catch (IOException e) {
            return process.info().commandLine(); // not Linux, or processes of others are hidden
        }
    }

    /** @return empty if there is no such file */
    public Optional<Secret> secret() throws IOException {
        try {
            String text = Files.readString(connection());
            Matcher parts = CONNECTION.matcher(text);
            if (!parts.matches()) {
                throw new IOException(connection() + " is damaged. Restore it from a backup of the folder");
            }
            return Optional.of(new Secret(parts.group(1), Integer.parseInt(parts.group(2))));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** The login of the server that runs now; it says why if none runs. */
    Login login() {
        try {
            Optional<Secret> secret = secret();
            Optional<Running> running = running();
            return secret.isPresent() && running.isPresent()
                    ? login(running.get().port(), secret.get().password())
                    : unavailable(
                            "no Postgres runs in " + folder + ". A relay with this setting starts it: ./caravan run.");
        } catch (AccessDeniedException e) {
            return unavailable(
                    "this user may not read " + e.getFile() + ". Run the command as the owner of the folder.");
        } catch (IOException e) {
            return unavailable(e.getMessage() + ".");
        }
    }

    private Login login(int port, String password) {
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/" + ROLE + "?sslmode=disable";
        return new Login(origin, url, ROLE, password, Map.of());
    }

    private Login unavailable(String reason) {
        return Login.unavailable(origin, reason);
    }
}
