package dev.caravan.crash;

import dev.caravan.ShortLived;
import dev.caravan.lab.bench.contender.CopyLoopMain;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A copy loop as many write it by hand, which is started again when it has ended. */
final class CopyLoop implements CopyStage.Copier {
    private final CopyStage stage;
    private final int batch;
    private final String marks;
    private Process process;

    /** @param marks before or after the copy, as {@link CopyLoopMain} takes it */
    CopyLoop(CopyStage stage, int batch, String marks) throws Exception {
        this.stage = stage;
        this.batch = batch;
        this.marks = marks;
        start();
    }

    private void start() throws Exception {
        Path log = Files.createDirectories(Path.of("target", "crash")).resolve("copy-loop.log");
        ProcessBuilder builder = new ProcessBuilder(ShortLived.java(
                        List.of("-Xmx64m"),
                        CopyLoopMain.class,
                        stage.source().url(),
                        stage.source().user(),
                        stage.url(),
                        stage.user(),
                        "lib",
                        Integer.toString(batch),
                        marks))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put(CopyLoopMain.SOURCE_PASSWORD, stage.source().password());
        builder.environment().put(CopyLoopMain.OUTBOX_PASSWORD, "");
        process = builder.start();
    }

    @Override
    public void keepRunning() throws Exception {
        if (!process.isAlive()) { // a database was unavailable
            start();
        }
    }

    @Override
    public void kill() throws Exception {
        close();
        start();
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
