package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandIT {
    @TempDir
    Path folder;

    @Test
    @Timeout(180)
    void bash_completes_commands_and_options_with_the_script() throws Exception {
        assertThat(completed("./caravan", "ret")).containsExactly("retries");
        assertThat(completed("./caravan", "retries", "gi")).containsExactly("give-up");
        assertThat(completed("caravan", "status", "--wat")).containsExactly("--watch");
        assertThat(completed("caravan", "retries", "list", "--output", ""))
                .containsExactlyInAnyOrder("table", "json", "csv", "jsonl");
        assertThat(completed("caravan", "completion", "")).contains("bash", "zsh");
    }

    @Test
    void zsh_gets_the_script_that_loads_its_emulation_of_bash() {
        CommandRun.of("completion", "zsh").assertDone("ZSH_VERSION", "bashcompinit");
    }

    @Test
    void another_shell_is_wrong_use() {
        CommandRun.of("completion", "fish").assertWrongUse();
        CommandRun.of("completion").assertWrongUse();
    }

    private String[] completed(String... words) throws Exception {
        Path script = folder.resolve("completion.bash");
        Files.writeString(script, CommandRun.of("completion", "bash").out());
        String quoted = "\"" + String.join("\" \"", words) + "\"";
        // 2>/dev/null: compopt is for a shell that completes what somebody types
        String commands = "source '" + script + "'; COMP_WORDS=(" + quoted + "); COMP_CWORD=" + (words.length - 1)
                + "; COMP_LINE='" + String.join(" ", words)
                + "'; COMP_POINT=${#COMP_LINE}; _complete_caravan 2>/dev/null;"
                + " printf '%s\\n' \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("bash", "--norc", "-c", commands)
                .redirectErrorStream(true)
                .start();
        assertThat(bash.waitFor(120, TimeUnit.SECONDS)).isTrue();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return out.lines().map(String::strip).filter(line -> !line.isEmpty()).toArray(String[]::new);
    }
}
