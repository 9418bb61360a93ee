package dev.caravan.lab.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A relay in its own JVM with 256 MB of heap, which can be killed, suspended and stopped. */
public final class RelayProcess implements AutoCloseable {
    private final String name;
    private final Process process;
    private final Path log;
    private final List<String> archive;
    /** Continues the process while it is frozen; null while it is not. A frozen process cannot notice that this JVM has ended. */
    private AtEndOfJvm thaw;

    private final Thread killAtExit = new Thread(this::kill, "kill-relay");

    private RelayProcess(String name, Process process, Path log, List<String> archive) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.archive = archive;
        Runtime.getRuntime().addShutdownHook(killAtExit);
    }

    /**
     * Starts a relay and returns at once.
     *
     * @param name the owner of its leases, and the name of its log
     * @param logs the folder for its log
     */
    public static RelayProcess start(String name, Path logs, Map<String, String> settings) throws IOException {
        return start(name, logs, settings, List.of());
    }

    /** @param jvmOptions more options for Java */
    public static RelayProcess start(String name, Path logs, Map<String, String> settings, List<String> jvmOptions)
            throws IOException {
        Files.createDirectories(logs);
        Path log = logs.resolve(name + ".log");
        List<String> command = ShortLivedJvm.command();
        command.addAll(List.of(
                "-Xmx256m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote")); // classes that javac has just written
        command.addAll(jvmOptions);
        List<String> archive = ClassArchive.options();
        command.addAll(archive);
        command.addAll(List.of(
                "-cp",
                ClassArchive.classPath(),
                RelayMain.class.getName(),
                "camel.management.enabled=false",
                "camel.component.outbox.relay=" + name));
        settings.forEach((setting, value) -> command.add(setting + "=" + value));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new RelayProcess(name, process, log, archive);
    }

    public String name() {
        return name;
    }

    /** Sends SIGKILL; returns when the process has ended. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            thaw();
            if (Files.exists(log) && count(RelayMain.STARTED) > 0) {
                ClassArchive.startedRelayEnded(archive);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends SIGTERM; returns at once. (Process.destroy would also close the input, which ends the relay at once.) */
    public void terminate() {
        process.toHandle().destroy();
    }

    /** Sends SIGSTOP, which suspends the process. */
    public synchronized void freeze() throws IOException, InterruptedException {
        thaw = AtEndOfJvm.signal("-CONT", process.pid());
        Signal.send("-STOP", process.pid());
    }

    /** Sends SIGCONT, which resumes the process. No effect unless it is frozen. */
    public synchronized void thaw() throws IOException {
        if (thaw != null) {
            thaw.close();
            thaw = null;
        }
    }

    /** The exit status; 128 + signal number after a signal. */
    public int exitStatus(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    name + " did not end within " + limit.toSeconds() + " s: " + logWithStacks());
        }
        return process.exitValue();
    }

    /** The log, with the stacks of all threads, which show what the relay waits for. */
    private String logWithStacks() throws InterruptedException {
        try {
            Signal.send("-QUIT", process.pid());
            process.waitFor(2, TimeUnit.SECONDS); // while it writes them
            return log();
        } catch (IOException | IllegalStateException e) {
            return "its log is " + log;
        }
    }

    public void requireAlive() throws IOException {
        if (!isAlive()) {
            throw new IllegalStateException(name + " has ended: " + log());
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void awaitStarted() throws Exception {
        awaitLog(RelayMain.STARTED, 1);
    }

    /** Waits until the log contains a text this many times. */
    public void awaitLog(String text, int times) throws Exception {
        Await.until(name + " logs \"" + text + "\", see " + log, Duration.ofSeconds(180), () -> {
            requireAlive();
            return count(text) >= times;
        });
    }

    /** The number of occurrences of a text in the log. */
    public int count(String text) throws IOException {
        return log().split(Pattern.quote(text), -1).length - 1;
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(killAtExit);
        } catch (IllegalStateException e) {
            // the hook is running already
        }
    }
}
