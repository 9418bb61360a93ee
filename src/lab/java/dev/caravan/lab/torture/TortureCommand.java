package dev.caravan.lab.torture;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.cli.AddedCommand;
import dev.caravan.lab.servers.FailoverPostgres.Replication;
import dev.caravan.lab.torture.stage.TortureDestination;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan torture}: injects faults into two relays and the servers that they use, and then checks what arrived. */
@Command(
        name = "torture",
        description = {
            "Kill and freeze relays, break Postgres, Kafka, HTTP, mail and the network between them at random, replace Postgres"
                    + " by its replica, all on new servers, and check what arrived.",
            "The exit status is 1 when an invariant was violated; logs and evidence are then kept.",
            "With --histories, play random histories instead: the steps of writers, two relays, people and a failing database in"
                    + " one random order, with the real statements and a simulated clock. The exit status is 1 when a history"
                    + " broke a promise; the shortest history that breaks it is printed."
        },
        mixinStandardHelpOptions = true)
public final class TortureCommand implements AddedCommand {
    private static final int SHOWN = 10;
    private static final double DEFAULT_MINUTES = 2;

    /** The form of the result. */
    enum Output {
        text,
        json
    }

    /** The replication to the replica. */
    enum Failover {
        async(Replication.ASYNC),
        sync(Replication.SYNC),
        off(Replication.OFF);

        private final Replication replication;

        Failover(Replication replication) {
            this.replication = replication;
        }
    }

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--minutes",
            description =
                    "Minutes with faults, at least 0.1 (default 2). With --histories: the maximum number of minutes"
                            + " (default: no limit).")
    private Double minutes;

    @Option(
            names = "--histories",
            paramLabel = "N",
            description = "Play N random histories, with consecutive seeds from --seed, instead of injecting faults.")
    private Long histories;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description =
                    "The same seed gives the same plan of faults, or the same histories (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--failover",
            defaultValue = "async",
            description = {
                "Replication to the replica that replaces Postgres several times: ${COMPLETION-CANDIDATES} (default",
                "${DEFAULT-VALUE}). async: the replica may lack the last commits, and only what it has is checked. sync: each",
                "acknowledged commit must survive. off: no replica."
            })
    private Failover failover;

    @Option(
            names = "--subscriptions",
            paramLabel = "N",
            defaultValue = "7",
            description = {
                "Number of subscriptions, 7 to 100 (default ${DEFAULT-VALUE}). The further ones select all messages or few, are slow at",
                "times, have several lanes or another order; subscriptions are then also paused, and their rows locked, and",
                "the application writes less."
            })
    private int subscriptions;

    @Option(
            names = "--output",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE}).")
    private Output output;

    private volatile boolean interrupted;

    @Override
    public Integer call() throws Exception {
        if (minutes != null && !(minutes >= 0.1 && minutes <= 10_000)) {
            throw new ParameterException(spec.commandLine(), "--minutes must be between 0.1 and 10000, got " + minutes);
        }
        if (subscriptions < TortureDestination.USUAL_COUNT || subscriptions > 100) {
            throw new ParameterException(
                    spec.commandLine(), "--subscriptions must be between 7 and 100, got " + subscriptions);
        }
        if (histories != null && histories < 1) {
            throw new ParameterException(spec.commandLine(), "--histories must be at least 1, got " + histories);
        }
        silenceServers();
        return histories == null ? injectFaults() : playHistories();
    }

    private static Duration duration(double minutes) {
        return Duration.ofMillis(Math.round(minutes * 60_000));
    }

    private int playHistories() throws Exception {
        Optional<Duration> limit = Optional.ofNullable(minutes).map(TortureCommand::duration);
        HistoryRun run = new HistoryRun(histories, limit, this::report);
        Thread hook = new Thread(() -> interrupt(run), "interrupt-torture");
        Runtime.getRuntime().addShutdownHook(hook);
        HistoryRun.Result result;
        try {
            result = run.from(seed);
        } finally {
            if (interrupted) {
                Thread.sleep(Long.MAX_VALUE); // Postgres has ended with the process
            }
        }
        Runtime.getRuntime().removeShutdownHook(hook);
        PrintWriter out = spec.commandLine().getOut();
        out.println(output == Output.json ? result.json(seed).toPrettyString() : result.text());
        out.flush();
        return result.broken().isEmpty() ? 0 : 1;
    }

    private void interrupt(HistoryRun run) {
        report("Interrupted: " + run.summary());
        interrupted = true;
    }

    private int injectFaults() throws Exception {
        Path work = Files.createTempDirectory("caravan-torture-");
        Thread hook = new Thread(() -> interrupt(work), "interrupt-torture");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            Duration length = duration(minutes());
            List<Invariant> invariants = new Torture(work, subscriptions, Torture.pause(subscriptions), this::report)
                    .run(length, seed, failover.replication);
            Runtime.getRuntime().removeShutdownHook(hook);
            boolean ok = invariants.stream().allMatch(Invariant::holds);
            print(invariants, ok, work);
            return ok ? 0 : 1;
        } catch (Exception e) {
            if (interrupted) {
                Thread.sleep(Long.MAX_VALUE); // the run failed because its servers have ended with the process
            }
            throw e;
        }
    }

    private double minutes() {
        return minutes == null ? DEFAULT_MINUTES : minutes;
    }

    /** Handles Ctrl-C: hooks end the relays and Postgres; Kafka and the other servers end with this process. */
    private void interrupt(Path work) {
        report("Interrupted: nothing was checked. Relays and servers end now; their logs and data: " + work);
        interrupted = true;
    }

    /** The servers log errors each time they are stopped. */
    private static void silenceServers() {
        for (String server : List.of("kafka", "org.apache.kafka", "io.zonky.test")) {
            ((Logger) LoggerFactory.getLogger(server)).setLevel(Level.OFF);
        }
    }

    private synchronized void report(String line) {
        if (interrupted) {
            return;
        }
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void print(List<Invariant> invariants, boolean ok, Path work) {
        PrintWriter out = spec.commandLine().getOut();
        if (output == Output.json) {
            out.println(json(invariants, ok).toPrettyString());
        } else {
            invariants.forEach(invariant -> print(out, invariant));
            out.println(
                    ok
                            ? "Result: every invariant holds."
                            : "Result: VIOLATED. Run it again with --seed " + seed + " --failover " + failover
                                    + " --subscriptions " + subscriptions
                                    + "; logs, data and evidence: "
                                    + work);
        }
        out.flush();
    }

    private static void print(PrintWriter out, Invariant invariant) {
        out.printf("%-8s %-55s %s%n", invariant.holds() ? "ok" : "VIOLATED", invariant.name(), invariant.figure());
        invariant.violations().stream().limit(SHOWN).forEach(violation -> out.println("           " + violation));
    }

    private ObjectNode json(List<Invariant> invariants, boolean ok) {
        ObjectNode root = new ObjectMapper().createObjectNode();
        root.put("seed", seed)
                .put("minutes", minutes())
                .put("subscriptions", subscriptions)
                .put("ok", ok);
        var all = root.putArray("invariants");
        for (Invariant invariant : invariants) {
            ObjectNode one = all.addObject()
                    .put("name", invariant.name())
                    .put("ok", invariant.holds())
                    .put("figure", invariant.figure())
                    .put("violated", invariant.violations().size());
            var violations = one.putArray("violations");
            invariant.violations().stream().limit(SHOWN).forEach(violations::add);
        }
        return root;
    }
}
