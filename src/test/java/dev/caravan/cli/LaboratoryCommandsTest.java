package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class LaboratoryCommandsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void with_the_laboratory_its_commands_are_listed_and_have_help() {
        assertThat(CommandRun.of("--help").out()).contains("demo ", "bench ", "torture ");
        assertThat(CommandRun.of("bench", "--help").out()).contains("Scenarios:");
    }

    @Test
    void torture_plays_at_least_one_history() {
        CommandRun.of("torture", "--histories", "0").assertWrongUse("--histories must be at least 1, got 0");
    }

    @Test
    void without_the_laboratory_its_commands_are_not_listed() {
        assertThat(run(List.of(), "--help")).isZero();

        assertThat(out.toString()).contains("caravan").doesNotContain("demo", "bench", "torture");
    }

    @Test
    void without_the_laboratory_its_commands_say_what_is_missing() {
        assertThat(run(List.of(), "demo", "--exit")).isEqualTo(1);

        assertThat(err.toString())
                .contains("Could not start demo", "target/caravan-lab.jar", "./caravan demo")
                .doesNotContain("\tat ");
    }

    @Test
    void a_command_that_a_jar_adds_is_run() {
        assertThat(run(List.of(new Demo()), "demo")).isEqualTo(7);
    }

    private int run(List<AddedCommand> added, String... args) {
        CommandLine line = new CommandLine(new Root());
        LaboratoryCommands.addTo(line, added);
        return line.setExecutionExceptionHandler(new ExceptionHandler())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Command(name = "caravan", mixinStandardHelpOptions = true)
    private static final class Root implements Runnable {
        @Override
        public void run() {
            // only its commands do something
        }
    }

    @Command(name = "demo")
    private static final class Demo implements AddedCommand {
        @Override
        public Integer call() {
            return 7;
        }
    }
}
