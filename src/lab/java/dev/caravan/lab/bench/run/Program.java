package dev.caravan.lab.bench.run;

import dev.caravan.lab.servers.ClassArchive;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Java program in its own process, with the options of {@code ./caravan}. It is killed when the benchmark ends. */
public final class Program implements AutoCloseable {
    private static final int LINES_OF_LOG = 15;
    private static final String LABORATORY = "dev.caravan.lab.";

    private final String name;
    private final Process process;
    private final Path log;
    private final Thread killAtExit = new Thread(this::kill, "kill-program");

    private Program(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        Runtime.getRuntime().addShutdownHook(killAtExit);
    }

    /**
     * Starts a program and returns at once.
     *
     * @param folder for its log
     * @param jvm options for Java, for example {@code -Xmx256m}
     * @param environment variables in addition to those of the benchmark
     */
    public static Program start(
            String name,
            Path folder,
            List<String> jvm,
            Class<?> main,
            List<String> arguments,
            Map<String, String> environment)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-Dfile.encoding=UTF-8"));
        command.addAll(optionsOfTheLauncher(jvm.stream().anyMatch(Program::isCollector)));
        command.addAll(ClassArchive.existing());
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath(main), main.getName()));
        command.addAll(arguments);
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new Program(name, builder.start(), log);
    }

    /**
     * The options for the class archive, the compiler and the garbage collector that {@code ./caravan} gave this process.
     *
     * @param hasCollector whether the program sets its own collector; Java accepts only one
     */
    private static List<String> optionsOfTheLauncher(boolean hasCollector) {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-XX:SharedArchiveFile=")
                        || option.startsWith("-Xlog:cds")
                        || option.startsWith("-XX:CompileThresholdScaling=")
                        || !hasCollector && isCollector(option))
                .toList();
    }

    private static boolean isCollector(String option) {
        return option.matches("-XX:\\+Use\\w+GC");
    }

    /** The class path of {@code ./caravan run}: without the embedded servers, and for a relay without the laboratory. */
    private static String classPath(Class<?> main) {
        boolean ofLaboratory = main.getPackageName().startsWith(LABORATORY);
        return Stream.of(ClassArchive.classPath().split(File.pathSeparator))
                .filter(entry -> !entry.contains("lib-lab" + File.separator))
                .filter(entry -> ofLaboratory || !entry.endsWith("caravan-lab.jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Processor time used so far. */
    public Duration cpu() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .orElseThrow(
                        () -> new IllegalStateException("This system does not report the processor time of " + name));
    }

    /** Waits, and returns the processor time used meanwhile, in percent of a core. */
    public double cpuDuring(int seconds) throws InterruptedException {
        Duration before = cpu();
        TimeUnit.SECONDS.sleep(seconds);
        return cpu().minus(before).toNanos() / 1e7 / seconds;
    }

    /** Peak memory so far, in bytes; empty when the system does not report it. */
    public OptionalLong peakMemory() {
        return bytes("VmHWM:");
    }

    private OptionalLong bytes(String line) {
        OptionalLong kilobytes = status(line);
        return kilobytes.isPresent() ? OptionalLong.of(kilobytes.getAsLong() * 1024) : kilobytes;
    }

    private OptionalLong status(String line) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            return lines.filter(text -> text.startsWith(line))
                    .mapToLong(text -> Long.parseLong(text.replaceAll("\\D", "")))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty(); // not Linux
        }
    }

    /** Current memory, in bytes; 0 when the system does not report it. */
    public long memory() {
        return bytes("VmRSS:").orElse(0);
    }

    /** Current number of threads; 0 when the system does not report it. */
    public long threads() {
        return status("Threads:").orElse(0);
    }

    /** @throws IllegalStateException with the end of the log, if the program has ended */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    name + " has ended with status " + process.exitValue() + ". End of its log:\n" + endOfLog());
        }
    }

    private String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG), lines.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends SIGTERM; returns at once. */
    public void terminate() {
        process.destroy();
    }

    /** Waits for the end of the process. Returns whether it ended within the limit. */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sends SIGKILL; returns when the process has ended. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Sends SIGTERM, and SIGKILL when the process does not end within 20 s. */
    @Override
    public void close() {
        terminate();
        try {
            process.waitFor(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(killAtExit);
        } catch (IllegalStateException e) {
            // the hook is running already
        }
    }
}
