package dev.caravan.lab.image;

import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One run of an image with {@code crun}, as {@link Specification} describes it. Needs Linux and root. */
public final class Container implements AutoCloseable {
    private static final AtomicInteger STARTED = new AtomicInteger();

    /** crun does not run on a machine with both versions of cgroups. It needs no cgroups here, so the second version is unmounted. */
    private static final List<String> CRUN = List.of(
            "unshare",
            "--mount",
            "sh",
            "-c",
            "umount /sys/fs/cgroup/unified 2>/dev/null; exec crun --cgroup-manager=disabled \"$@\"",
            "sh");

    private final String name = "caravan-" + ProcessHandle.current().pid() + "-" + STARTED.incrementAndGet();
    private final Path folder;
    private final Process process;
    private final AtEndOfJvm end;

    private Container(Path folder, String specification) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("config.json"), specification);
        process = crun("run", "--bundle", folder.toString(), name)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        end = AtEndOfJvm.signal("-TERM", process.pid());
    }

    /**
     * Starts a container and returns at once.
     *
     * @param folder a new folder for its files
     * @param command the program and its arguments, see {@link UnpackedImage#command}
     * @param environment in addition to that of the image
     * @param mounts files and folders of this machine by their paths in the container, where they are read-only
     */
    public static Container start(
            UnpackedImage image,
            Path folder,
            List<String> command,
            Map<String, String> environment,
            Map<String, Path> mounts)
            throws IOException {
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxrwxrwx"));
        return new Container(folder, new Specification(image, command, environment, mounts).json(temporary));
    }

    private static ProcessBuilder crun(String... arguments) {
        return new ProcessBuilder(
                Stream.concat(CRUN.stream(), Stream.of(arguments)).toList());
    }

    /** The folder that is mounted in the container as {@code /tmp}. */
    public Path temporary() {
        return folder.resolve("tmp");
    }

    /** Standard output and standard error. */
    public String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }

    /** Waits for a condition; fails at once with the output when the container has ended. */
    public void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, Duration.ofSeconds(120), () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("The container has ended: " + output());
            }
            return condition.call();
        });
    }

    /** Sends SIGTERM to process 1 of the container; returns at once. */
    public void terminate() throws IOException, InterruptedException {
        crun("kill", name, "TERM").inheritIO().start().waitFor();
    }

    /** Waits for the end of process 1 and returns its exit status. */
    public int exitStatus() throws IOException, InterruptedException {
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The container did not end within 120 s: " + output());
        }
        return process.exitValue();
    }

    /** Kills the container if it runs. */
    @Override
    public void close() throws IOException {
        try {
            if (process.isAlive()) {
                crun("delete", "--force", name).start().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end.close();
    }
}
