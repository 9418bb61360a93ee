package dev.caravan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs of the tests that run for seconds. */
public final class ShortLived {
    private ShortLived() {}

    /**
     * The command that runs a class with the class path of the tests. It takes half the processor time that the defaults of
     * Java need, which are for programs that run for a long time.
     */
    public static List<String> java(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+UseTransparentHugePages",
                "-XX:CompileThresholdScaling=3"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
