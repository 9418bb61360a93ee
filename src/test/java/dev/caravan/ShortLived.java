package dev.caravan;

import dev.caravan.lab.servers.ShortLivedJvm;
import java.util.List;

/** Programs of the tests that run for seconds. */
public final class ShortLived {
    private ShortLived() {}

    /** The command that runs a class with the class path of the tests. */
    public static List<String> java(List<String> options, Class<?> main, String... arguments) {
        List<String> command = ShortLivedJvm.command();
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
