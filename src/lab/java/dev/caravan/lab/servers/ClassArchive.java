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
 * An archive of the library classes that a relay loads (CDS), which halves the processor time of its start. The first relay lists the
 * classes; when it has ended, they are archived in the background; relays that start later use the archive. Used if the system
 * property {@code relay.archive} names a folder.
 */
public final class ClassArchive {
    private final Path list;
    private final Path archive;

    private ClassArchive(Path folder) {
        list = folder.resolve("relay.classes");
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
        return isFirstToCreate(classes.list) ? List.of("-XX:DumpLoadedClassList=" + classes.list) : List.of();
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

    /** Archives what the relay with these options has listed, if it has; returns at once. */
    static void relayEnded(List<String> options) throws IOException {
        if (options.stream().anyMatch(option -> option.startsWith("-XX:DumpLoadedClassList="))) {
            new ClassArchive(Path.of(System.getProperty("relay.archive"))).create();
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
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    private void create() throws IOException {
        Path part = archive.resolveSibling("relay.part");
        if (Files.exists(archive) || !isFirstToCreate(part)) {
            return;
        }
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
