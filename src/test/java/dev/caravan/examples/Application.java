package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.ShortLivedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An application of {@code examples/} that the build has packaged, in a process of its own. */
final class Application implements AutoCloseable {
    /** Long, because a busy machine starts JVMs slowly. */
    private static final Duration LIMIT = Duration.ofSeconds(300);

    private final Process process;
    private final Path log;
    private final AtEndOfJvm end;

    private Application(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        end = AtEndOfJvm.signal("-KILL", process.pid());
    }

    /**
     * Starts it, and returns at once.
     *
     * @param folder where it is started and where its log is
     * @param environment variables that the environment of this process does not have
     */
    static Application start(Path folder, Path jar, Map<String, String> environment) throws IOException {
        Path log = Files.createTempFile(folder, "application-", ".log");
        List<String> command = ShortLivedJvm.command();
        command.addAll(List.of("-Xmx256m", "-jar", jar.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return new Application(builder.redirectOutput(log.toFile()).start(), log);
    }

    /** Waits until its log contains a text. */
    void awaitLog(String text) throws Exception {
        eventually(LIMIT, () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("the application has ended: " + log());
            }
            assertThat(log()).contains(text);
        });
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** As the component names it in the lease of a lane. */
    boolean isOwner(String owner) {
        return owner != null && owner.endsWith(Long.toString(process.pid()));
    }

    /** Sends SIGKILL, and returns when the process has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Sends SIGTERM, and returns how long the process took to end. */
    Duration terminate() throws Exception {
        long began = System.nanoTime();
        process.toHandle().destroy();
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .as(log())
                .isTrue();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void close() throws Exception {
        kill();
        end.close();
    }
}
