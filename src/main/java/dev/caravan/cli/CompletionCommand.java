package dev.caravan.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan completion}: prints a shell script that completes commands and options. */
@Command(
        name = "completion",
        description = {
            "Print a script that completes commands and options in a shell.",
            "Use it with:",
            "  source <(./caravan completion bash)"
        })
final class CompletionCommand implements Runnable {
    /** The supported shells. */
    enum Shell {
        bash,
        /** Uses the bash script, which loads zsh's emulation of bash completion. */
        zsh
    }

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    @Override
    public void run() {
        var out = spec.commandLine().getOut();
        out.print(AutoComplete.bash("caravan", spec.root().commandLine()));
        out.flush();
    }
}
