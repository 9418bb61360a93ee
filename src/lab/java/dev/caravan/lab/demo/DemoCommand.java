package dev.caravan.lab.demo;

import dev.caravan.cli.AddedCommand;
import dev.caravan.relay.Relay;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan demo}: delivers messages from an embedded Postgres to an embedded Kafka, mail server and SMS gateway. */
@Command(
        name = "demo",
        description = {
            "Start Postgres, Kafka, a mail server, an SMS gateway and a booking application on free ports of this machine, and watch"
                    + " the relay deliver with the shipped routes. Ctrl-C ends it.",
            "Exit status 0 when every committed message arrived at all its destinations, in order per key; 1 otherwise."
        })
public final class DemoCommand implements AddedCommand {
    private static final int DEFAULT_RATE = 100;

    enum Output {
        text,
        json
    }

    private final DemoRelayStart relayStart;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--messages",
            paramLabel = "N",
            defaultValue = "0",
            description = "Stop writing after this many messages; 0: write until Ctrl-C. Default: ${DEFAULT-VALUE}")
    private long messages;

    @Option(names = "--exit", description = "End when all messages have arrived; needs --messages.")
    private boolean exit;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "The same seed writes the same messages. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "Messages per second; 0: as fast as possible. Default: " + DEFAULT_RATE
                    + " without --messages, 0 with it")
    private Integer rate;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description =
                    "Stop when messages are missing and nothing arrives for this long." + " Default: ${DEFAULT-VALUE}")
    private int patienceSeconds;

    @Option(
            names = "--output",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Form of the summary on standard output. Default: ${DEFAULT-VALUE}")
    private Output output;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    /** Creates the command with the relay of this program. */
    public DemoCommand() {
        this(Relay::start);
    }

    /** @param relayStart starts the relay under test in this process */
    public DemoCommand(DemoRelayStart relayStart) {
        this.relayStart = relayStart;
    }

    @Override
    public Integer call() throws Exception {
        DemoPlan plan = plan();
        try (var stop = new StopSignal();
                var screen = new DemoScreen(isTerminal())) {
            Verdict verdict = new DemoRun(plan, relayStart, screen, stop).verdict();
            spec.commandLine().getOut().println(output == Output.json ? verdict.toJson() : verdict.toText());
            spec.commandLine().getOut().flush();
            return verdict.good() ? 0 : 1;
        }
    }

    private DemoPlan plan() {
        requireAtLeast(0, messages, "--messages");
        requireAtLeast(1, patienceSeconds, "--patience");
        if (exit && messages == 0) {
            throw wrong("--exit needs --messages: without it the booking application writes until Ctrl-C");
        }
        int messagesPerSecond = rate != null ? rate : messages == 0 ? DEFAULT_RATE : 0;
        requireAtLeast(0, messagesPerSecond, "--rate");
        return new DemoPlan(messages, exit, seed, messagesPerSecond, patienceSeconds);
    }

    private void requireAtLeast(long least, long value, String option) {
        if (value < least) {
            throw wrong(option + " must be at least " + least + ", got " + value);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Whether standard input and output are both a terminal that can move its cursor. */
    private static boolean isTerminal() {
        return System.console() != null && !"dumb".equals(System.getenv("TERM"));
    }
}
