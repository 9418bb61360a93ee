package dev.caravan.lab.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Java programs that run for seconds or a few minutes. */
public final class ShortLivedJvm {
    private ShortLivedJvm() {}

    /**
     * The first words of the command of such a program, in a list that can be changed. With these options it uses half the processor
     * time that the defaults of Java need, which are for programs that run for a long time.
     */
    public static List<String> command() {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileThresholdScaling=3", // compiles later: most methods run only a few times
                "-XX:+UseSerialGC",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+UseTransparentHugePages")); // Linux: fewer page faults, which are slow on a virtual machine
    }
}
