package dev.caravan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Appends wall time and processor time of each test class to a file of this JVM. On Linux the processor time has that of all processes that
 * the tests started, found by an environment variable that they inherit; elsewhere it has only that of this JVM.
 */
public final class ProcessorTime implements TestExecutionListener {
    private static final String FORK = "TEST_FORK";
    private static final double TICKS_A_SECOND = 100;

    private final Map<String, double[]> started = new HashMap<>();

    @Override
    public void executionStarted(TestIdentifier test) {
        if (isClass(test)) started.put(test.getUniqueId(), now());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        double[] start = started.remove(test.getUniqueId());
        if (start == null) return;
        double[] end = now();
        write(String.format(Locale.ROOT, "%s\t%.1f\t%.1f%n", className(test), end[0] - start[0], end[1] - start[1]));
    }

    private static boolean isClass(TestIdentifier test) {
        return test.getSource().filter(ClassSource.class::isInstance).isPresent()
                && !className(test).contains("$");
    }

    private static String className(TestIdentifier test) {
        return ((ClassSource) test.getSource().orElseThrow()).getClassName();
    }

    private static double[] now() {
        return new double[] {System.nanoTime() / 1e9, processorSeconds()};
    }

    private static double processorSeconds() {
        String fork = System.getenv(FORK);
        if (fork == null || !Files.isDirectory(Path.of("/proc/self")))
            return ProcessHandle.current()
                            .info()
                            .totalCpuDuration()
                            .orElseThrow()
                            .toMillis()
                    / 1e3;
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                            .filter(process -> Character.isDigit(
                                    process.getFileName().toString().charAt(0)))
                            .filter(process -> read(process.resolve("environ")).contains(FORK + "=" + fork + "\0"))
                            .mapToLong(process -> ticks(read(process.resolve("stat"))))
                            .sum()
                    / TICKS_A_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fields 14 to 17: in user and system mode, its own and of the children that it has waited for. */
    private static long ticks(String stat) {
        if (stat.isEmpty()) return 0;
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Stream.of(11, 12, 13, 14)
                .mapToLong(i -> Long.parseLong(fields[i]))
                .sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // the process has ended
        }
    }

    private static void write(String line) {
        Path file = Path.of("target", "times", ProcessHandle.current().pid() + ".tsv");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
