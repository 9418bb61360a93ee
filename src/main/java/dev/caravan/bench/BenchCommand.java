package dev.caravan.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how fast a backlog drains to Kafka, beside a raw loop that does the same job in the same run. */
@Command(
        name = "bench",
        description =
                "Measure Caravan beside a raw JDBC and KafkaProducer loop that does the same job, on embedded servers.",
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    /** What can be measured. */
    enum Scenario {
        /** A backlog, as fast as it goes. */
        drain
    }

    /** How the result is printed. */
    enum Output {
        text,
        json
    }

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", defaultValue = "drain", description = "What to measure: ${COMPLETION-CANDIDATES}.")
    private Scenario scenario;

    @Option(
            names = "--messages",
            defaultValue = "200000",
            description = "Messages in the backlog (default ${DEFAULT-VALUE}).")
    private int messages;

    @Option(names = "--bytes", defaultValue = "194", description = "Bytes of a payload (default ${DEFAULT-VALUE}).")
    private int bytes;

    @Option(names = "--keys", defaultValue = "1000", description = "Number of keys (default ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "Rounds of each contender, interleaved (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--batch", defaultValue = "1000", description = "Messages a read (default ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--output",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE}).")
    private Output output;

    @Override
    public Integer call() throws Exception {
        PrintWriter progress = spec.commandLine().getErr();
        progress.println("Starting Postgres and Kafka ...");
        Map<String, List<Round>> results = new LinkedHashMap<>();
        List<Contender> contenders = List.of(new RawLoop(batch), new CaravanContender(batch));
        try (var servers = new Servers()) {
            for (int round = 0; round <= rounds; round++) {
                for (Contender contender : contenders) {
                    Round result = run(servers, contender);
                    progress.printf(
                            "%s round %s: %,.0f messages a second%n",
                            contender.name(), round == 0 ? "0 (warm-up, not counted)" : round, result.rate());
                    progress.flush();
                    if (round > 0) {
                        results.computeIfAbsent(contender.name(), name -> new ArrayList<>())
                                .add(result);
                    }
                }
            }
        }
        print(results);
        return 0;
    }

    private Round run(Servers servers, Contender contender) throws Exception {
        Outbox outbox = servers.newOutbox();
        outbox.fill(messages, keys, bytes);
        String topic = servers.newTopic();
        long walBefore = outbox.walBytes();
        contender.drain(outbox, servers.brokers(), topic, messages);
        double wal = (outbox.walBytes() - walBefore) / (double) messages;
        long[] times = Records.check(servers.brokers(), topic, messages);
        return new Round(rate(times, 0), rate(times, messages / 5), wal);
    }

    private static double rate(long[] times, int from) {
        long millis = Math.max(1, times[times.length - 1] - times[from]);
        return (times.length - from) * 1000.0 / millis;
    }

    private void print(Map<String, List<Round>> results) throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        double limit = median(results.get("limit"), Round::rate);
        if (output == Output.json) {
            ObjectNode root = new ObjectMapper().createObjectNode();
            ObjectNode drain = root.putObject("scenarios").putObject(scenario.name());
            drain.put("messages", messages)
                    .put("bytes", bytes)
                    .put("keys", keys)
                    .put("rounds", rounds);
            results.forEach((name, list) -> drain.putObject(name)
                    .put("rate", Math.round(median(list, Round::rate)))
                    .put("warmRate", Math.round(median(list, Round::warmRate)))
                    .put("walBytesPerMessage", median(list, Round::walPerMessage)));
            drain.put("ratioToLimit", median(results.get("caravan"), Round::rate) / limit);
            out.println(root.toPrettyString());
        } else {
            out.printf(
                    "%-10s %12s %12s %12s %14s %10s %8s%n",
                    "", "median/s", "min/s", "max/s", "warm median/s", "WAL B/msg", "ratio");
            results.forEach((name, list) -> out.printf(
                    "%-10s %,12.0f %,12.0f %,12.0f %,14.0f %10.2f %8.2f%n",
                    name,
                    median(list, Round::rate),
                    list.stream().mapToDouble(Round::rate).min().orElse(0),
                    list.stream().mapToDouble(Round::rate).max().orElse(0),
                    median(list, Round::warmRate),
                    median(list, Round::walPerMessage),
                    median(list, Round::rate) / limit));
        }
        out.flush();
    }

    private static double median(List<Round> rounds, java.util.function.ToDoubleFunction<Round> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
