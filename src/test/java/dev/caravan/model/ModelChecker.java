package dev.caravan.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.ShortLivedJvm;
import java.io.IOException;
import java.net.JarURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs TLC in a JVM of its own on a configuration of {@code docs/spec}, as it is or changed. */
record ModelChecker(String configuration, String text) {
    /** The modules; the name of a configuration begins with the name of its module. */
    static final List<String> MODULES = List.of("Settling", "Tail", "Takeover");

    private static final Path SPEC = Path.of("docs/spec");
    private static final Path WORK = Path.of("target/spec");
    /** The promise that TLC reports for every property over time, because it does not name the one that is broken. */
    static final String OVER_TIME = "Temporal";

    private static final Pattern REFUSED =
            Pattern.compile("Error: (?:(?:Invariant|Action property) )?(\\w+) (?:is|properties were) violated");
    private static final Pattern STATES =
            Pattern.compile("generated, (\\d+) distinct states found, 0 states left on queue");

    /**
     * What TLC found.
     *
     * @param broken the first promise that does not hold
     * @param states the number of different states; 0 if a promise is broken
     */
    record Result(Optional<String> broken, int states, String log) {}

    static ModelChecker of(String configuration) throws IOException {
        return new ModelChecker(configuration, Files.readString(SPEC.resolve(configuration + ".cfg")));
    }

    /** The text of the module that a configuration belongs to. */
    static String module(String name) throws IOException {
        return Files.readString(SPEC.resolve(name + ".tla"));
    }

    ModelChecker without(String rule) {
        return with("Dropped = {}", "Dropped = {\"" + rule + "\"}");
    }

    /** Checks only one promise. */
    ModelChecker promising(String promise) {
        return new ModelChecker(
                configuration, text.replaceFirst("(?s)INVARIANTS.*?\n(?=\\w)", "INVARIANT " + promise + "\n"));
    }

    private ModelChecker with(String found, String instead) {
        assertThat(text).contains(found);
        return new ModelChecker(configuration, text.replace(found, instead));
    }

    Result run() throws Exception {
        Files.createDirectories(WORK);
        Path directory = Files.createTempDirectory(WORK, configuration);
        String module =
                MODULES.stream().filter(configuration::startsWith).findFirst().orElseThrow();
        Files.copy(SPEC.resolve(module + ".tla"), directory.resolve(module + ".tla"));
        Files.writeString(directory.resolve(module + ".cfg"), text);
        String log = log(directory, module);
        return new Result(
                first(REFUSED, log), first(STATES, log).map(Integer::valueOf).orElse(0), log);
    }

    private static String log(Path directory, String module) throws Exception {
        Path log = directory.resolve("tlc.log");
        List<String> command = ShortLivedJvm.command();
        command.addAll(List.of(
                "-Xmx512m",
                archiveOfClasses(),
                "-Djava.io.tmpdir=" + directory.toAbsolutePath(),
                "-cp",
                tlc().toString(),
                "tlc2.TLC",
                "-nowarning",
                "-deadlock",
                "-workers",
                "1",
                module + ".tla"));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES))
                    .as("TLC ends; see %s", log)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(log);
    }

    /** Its first run writes an archive of its classes, with which later runs use two thirds of the processor time. */
    private static String archiveOfClasses() {
        Path archive = WORK.resolve("tlc.jsa").toAbsolutePath();
        return (Files.exists(archive) ? "-XX:SharedArchiveFile=" : "-XX:ArchiveClassesAtExit=") + archive;
    }

    private static Path tlc() throws Exception {
        var jar = (JarURLConnection)
                ModelChecker.class.getResource("/tlc2/TLC.class").openConnection();
        return Path.of(jar.getJarFileURL().toURI());
    }

    private static Optional<String> first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }
}
