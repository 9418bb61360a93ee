package dev.caravan.lab.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An archive of the library classes that a relay loads (CDS), which halves the processor time of its start. The first relays list
 * their classes. When the first of them has ended, its list is archived in the background; relays that start later use the archive.
 * Used if the system property {@code relay.archive} names a folder.
 */
public final class ClassArchive {
    private static final String LISTING = "-XX:DumpLoadedClassList=";

    private final Path archive;

    private ClassArchive(Path folder) {
        archive = folder.resolve("relay.jsa");
    }

    /** Options for the JVM of a relay, which must have the {@link #classPath}. */
    static List<String> options() throws IOException {
        String folder = System.getProperty("relay.archive");
        if (folder == null) {
            return List.of();
        }
        ClassArchive classes = new ClassArchive(Path.of(folder));
        if (Files.exists(classes.archive)) {
            return List.of("-XX:SharedArchiveFile=" + classes.archive);
        }
        Path folderOfLists = Files.createDirectories(classes.archive.getParent());
        return List.of(LISTING + Files.createTempFile(folderOfLists, "relay", ".classes"));
    }

    /** An option for the JVM of another program with the {@link #classPath}; none while there is no archive. */
    public static List<String> existing() {
        String folder = System.getProperty("relay.archive");
        if (folder == null) {
            return List.of();
        }
        Path archive = new ClassArchive(Path.of(folder)).archive;
        return Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
    }

    /** Archives the classes that a relay with these options has listed, unless there is an archive; returns at once. */
    static void startedRelayEnded(List<String> options) throws IOException {
        for (String option : options) {
            if (option.startsWith(LISTING)) {
                new ClassArchive(Path.of(System.getProperty("relay.archive")))
                        .create(Path.of(option.substring(LISTING.length())));
            }
        }
    }

    /** The class path of this JVM with all jars before all folders: an archive is used only if its class path is the beginning. */
    public static String classPath() {
        String separator = File.pathSeparator;
        return Arrays.stream(System.getProperty("java.class.path").split(separator))
                .sorted((one, other) ->
                        Boolean.compare(Files.isDirectory(Path.of(one)), Files.isDirectory(Path.of(other))))
                .collect(Collectors.joining(separator));
    }

    private static String jars() {
        return Arrays.stream(classPath().split(File.pathSeparator))
                .takeWhile(entry -> !Files.isDirectory(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isFirstToCreate(Path file) throws IOException {
        try {
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private void create(Path list) throws IOException {
        Path part = archive.resolveSibling("relay.part");
        if (Files.exists(archive) || !isFirstToCreate(part)) {
            return;
        }
        removeIncompleteLine(list);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xshare:dump",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + part,
                "-cp",
                jars());
        new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(archive.resolveSibling("relay.log").toFile())
                .start()
                .onExit()
                .thenAccept(dump -> publish(dump.exitValue(), part));
    }

    /** A relay that was killed may not have written the end of its list. */
    private static void removeIncompleteLine(Path list) throws IOException {
        String lines = Files.readString(list);
        Files.writeString(list, lines.substring(0, lines.lastIndexOf('\n') + 1));
    }

    private void publish(int exit, Path part) {
        if (exit == 0) {
            try {
                Files.move(part, archive, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                System.out.println("Relays start without an archive of classes: " + e);
            }
        }
    }
}
