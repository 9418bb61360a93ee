package dev.caravan.lab.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.caravan.cli.AddedCommand;
import dev.caravan.lab.bench.report.BenchReport;
import dev.caravan.lab.bench.report.JsonReport;
import dev.caravan.lab.bench.report.Machine;
import dev.caravan.lab.bench.report.MarkdownReport;
import dev.caravan.lab.bench.report.ScenarioResult;
import dev.caravan.lab.bench.report.TextReport;
import dev.caravan.lab.bench.run.GivenServers;
import dev.caravan.lab.bench.run.Servers;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan bench}: measures a relay as users run it, and compares it with a raw loop and a naive route. */
@Command(
        name = "bench",
        description = {
            "Measure the relay on new or given servers, and check in Kafka that every message arrived.",
            "Scenarios: drain, poison, failing, blocked-key, many-blocked-keys, outage, takeover, rolling, latency, wake-up, capture, intake, fan-out,"
                    + " long-transaction, rollbacks, console, start, large, backlog, soak,"
                    + " subscriptions, failures (poison to takeover), all (except intake, rolling, soak and subscriptions).",
            "Each run has its own database and topics. Progress goes to standard error. A missed goal is reported but is"
                    + " not a failure. The exit status is 1 when a message was lost, repeated or out of order."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BenchCommand implements AddedCommand {
    private static final List<String> FAILURES =
            List.of("poison", "failing", "blocked-key", "many-blocked-keys", "outage", "takeover");

    /** How the result is printed. */
    enum Output {
        text,
        json
    }

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "SCENARIO", description = "What to measure. Default: drain.")
    private List<String> named = new ArrayList<>();

    @Option(names = "--scenario", paramLabel = "SCENARIO", description = "A scenario, as an option; can be repeated.")
    private List<String> alsoNamed = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many times each figure is measured. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "Messages per run. Default: depends on the scenario (drain 200,000, backlog 5,000,000 ...).")
    private Integer messages;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            defaultValue = "194",
            description = "Approximate size of a payload, except in scenario large. Default: ${DEFAULT-VALUE}.")
    private int bytes;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of keys. Default: ${DEFAULT-VALUE}.")
    private int keys;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Messages per read of the raw loop, and rows per read of the intake. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "How long messages are written and counted in scenarios with a fixed rate. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--outage",
            paramLabel = "DURATION",
            defaultValue = "1m",
            description = "How long a destination is unavailable, for example 30s or 10m. Default: ${DEFAULT-VALUE}.")
    private String outage;

    @Option(
            names = "--soak",
            paramLabel = "DURATION",
            defaultValue = "30m",
            description = "How long the soak takes, for example 5m or 8h. Default: ${DEFAULT-VALUE}.")
    private String soak;

    @Option(
            names = "--subscriptions",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,10,50",
            description = "Numbers of subscriptions in scenario subscriptions, in ascending order, separated by commas."
                    + " Default: ${DEFAULT-VALUE}.")
    private List<Integer> subscriptions = new ArrayList<>();

    @Option(
            names = "--java-option",
            paramLabel = "OPTION",
            description = "An option for Java in each measured program, as in JAVA_OPTS; can be repeated.")
    private List<String> javaOptions = new ArrayList<>();

    @Mixin
    private GivenServers given;

    @Option(
            names = "--output",
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Form of the result on standard output. Default: ${DEFAULT-VALUE}.")
    private Output output;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Also write the result into a Markdown page, for example bench/RESULTS.md. The sections of other"
                            + " scenarios are not changed.")
    private Path report;

    @Override
    public Integer call() throws Exception {
        List<Scenario> scenarios = scenarios();
        Size size = size();
        requireFolderOfReport();
        silenceTheBroker();
        String loadBefore = Machine.load();
        try (var interruption = new BenchInterruption()) {
            report("Starting servers ...");
            try (var servers = new Servers(given, javaOptions)) {
                List<ScenarioResult> results = Scenarios.run(scenarios, new Bench(size, servers, this::report));
                return print(new BenchReport(results, size, arguments(), Machine.facts(servers), loadBefore));
            }
        } catch (InterruptedException e) {
            report("Interrupted. The servers and programs are stopped. The figures measured so far are above.");
            return 1;
        }
    }

    private List<Scenario> scenarios() {
        Set<String> names = new LinkedHashSet<>(named);
        names.addAll(alsoNamed);
        if (names.isEmpty()) {
            names.add("drain");
        }
        List<Scenario> scenarios = new ArrayList<>();
        for (Scenario scenario : Scenarios.ALL) {
            if (names.remove(scenario.name())
                    | (names.contains("all") && scenario.isPartOfAll())
                    | (names.contains("failures") && FAILURES.contains(scenario.name()))) {
                scenarios.add(scenario);
            }
        }
        names.removeAll(List.of("all", "failures"));
        if (!names.isEmpty()) {
            throw wrong("There is no scenario " + names.iterator().next() + "; known scenarios are "
                    + String.join(
                            ", ", Scenarios.ALL.stream().map(Scenario::name).toList()) + ", failures and all.");
        }
        return scenarios;
    }

    private Size size() {
        requireBetween(1, 1_000, rounds, "--rounds");
        requireBetween(1, 1_000_000_000, messages == null ? 1 : messages, "--messages");
        requireBetween(31, 900_000, bytes, "--bytes");
        requireBetween(1, 1_000_000_000, keys, "--keys");
        requireBetween(1, 10_000, batch, "--batch");
        requireBetween(1, 86_400, seconds, "--seconds");
        for (int number : subscriptions) {
            requireBetween(1, 1_000, number, "--subscriptions");
        }
        if (!subscriptions.equals(subscriptions.stream().sorted().distinct().toList())) {
            throw wrong("--subscriptions must be numbers in ascending order, got " + subscriptions + ".");
        }
        return new Size(
                rounds,
                messages == null ? 0 : messages,
                bytes,
                keys,
                batch,
                seconds,
                duration(outage, "--outage"),
                duration(soak, "--soak"),
                List.copyOf(subscriptions));
    }

    private void requireFolderOfReport() {
        if (report != null && !Files.isDirectory(report.toAbsolutePath().getParent())) {
            throw wrong("--report: the folder " + report.toAbsolutePath().getParent()
                    + " does not exist. Create it first.");
        }
    }

    private void requireBetween(long least, long most, long value, String option) {
        if (value < least || value > most) {
            throw wrong(option + " must be between " + least + " and " + most + ", got " + value + ".");
        }
    }

    private Duration duration(String text, String option) {
        if (!text.matches("\\d{1,6}[smh]")) {
            throw wrong(
                    option + " must be a number of seconds, minutes or hours such as 30s or 10m, got " + text + ".");
        }
        return Duration.parse("PT" + text);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** The broker runs in this process and logs errors each time it is stopped. */
    private static void silenceTheBroker() {
        for (String broker : List.of("kafka", "org.apache.kafka")) {
            ((Logger) LoggerFactory.getLogger(broker)).setLevel(Level.OFF);
        }
    }

    private synchronized void report(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private String arguments() {
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        boolean named = !words.isEmpty() && words.get(0).equals(spec.name()); // as a command of ./caravan
        return String.join(" ", words.subList(named ? 1 : 0, words.size()));
    }

    private int print(BenchReport result) throws java.io.IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (output == Output.json) {
            out.println(JsonReport.of(result).toPrettyString());
        } else {
            TextReport.print(result, out);
        }
        out.flush();
        if (report != null) {
            MarkdownReport.write(result, report);
        }
        return result.failed() ? 1 : 0;
    }
}
