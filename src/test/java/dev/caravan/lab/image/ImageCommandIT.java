package dev.caravan.lab.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code caravan} of the container image, with a Java that prints its arguments. */
class ImageCommandIT {
    private static final Pattern OPTION = Pattern.compile("<jvmFlag>(.*?)</jvmFlag>");

    @TempDir
    Path folder;

    @Test
    void it_runs_a_command_with_the_options_of_the_image_and_little_memory() throws Exception {
        Path java = Files.writeString(folder.resolve("java"), "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        var builder = new ProcessBuilder("src/image-bin/caravan", "why", "order/7 a");
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));

        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("[-Xmx128m]")
                .endsWith("[-cp][@/caravan/jib-classpath-file][dev.caravan.cli.Caravan][why][order/7 a]");
        OPTION.matcher(Files.readString(Path.of("pom.xml"))).results().forEach(option -> assertThat(output)
                .contains("[" + option.group(1) + "]"));
    }
}
