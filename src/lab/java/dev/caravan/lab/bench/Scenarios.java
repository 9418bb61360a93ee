package dev.caravan.lab.bench;

import dev.caravan.lab.bench.failure.BlockedKeyScenario;
import dev.caravan.lab.bench.failure.Failing;
import dev.caravan.lab.bench.failure.ManyBlockedKeys;
import dev.caravan.lab.bench.failure.OutageScenario;
import dev.caravan.lab.bench.failure.Poison;
import dev.caravan.lab.bench.failure.Rolling;
import dev.caravan.lab.bench.failure.Takeover;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.report.ScenarioResult;
import dev.caravan.lab.bench.scenario.Backlog;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.CaptureCost;
import dev.caravan.lab.bench.scenario.ColdStart;
import dev.caravan.lab.bench.scenario.Drain;
import dev.caravan.lab.bench.scenario.FanOut;
import dev.caravan.lab.bench.scenario.IntakeScenario;
import dev.caravan.lab.bench.scenario.Large;
import dev.caravan.lab.bench.scenario.Latency;
import dev.caravan.lab.bench.scenario.LongTransaction;
import dev.caravan.lab.bench.scenario.OpenConsole;
import dev.caravan.lab.bench.scenario.Rollbacks;
import dev.caravan.lab.bench.scenario.Scenario;
import dev.caravan.lab.bench.scenario.Soak;
import dev.caravan.lab.bench.scenario.WakeUpScenario;
import dev.caravan.lab.bench.subscription.ManySubscriptions;
import java.util.ArrayList;
import java.util.List;

/** Lists and runs all scenarios. */
final class Scenarios {
    /** In the order of {@code all}. */
    static final List<Scenario> ALL = List.of(
            new Drain(),
            new Poison(),
            new Failing(),
            new BlockedKeyScenario(),
            new ManyBlockedKeys(),
            new OutageScenario(),
            new Takeover(),
            new Rolling(),
            new Latency(),
            new WakeUpScenario(),
            new CaptureCost(),
            new IntakeScenario(),
            new FanOut(),
            new LongTransaction(),
            new Rollbacks(),
            new OpenConsole(),
            new ColdStart(),
            new Large(),
            new Backlog(),
            new Soak(),
            new ManySubscriptions());

    private Scenarios() {}

    /** Runs scenarios one after the other. A failed scenario does not stop the others. */
    static List<ScenarioResult> run(List<Scenario> scenarios, Bench bench) throws Exception {
        bench.warmUp();
        List<ScenarioResult> results = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            results.add(run(scenario, bench));
        }
        return results;
    }

    private static ScenarioResult run(Scenario scenario, Bench bench) throws InterruptedException {
        Figures figures = new Figures(bench.progress());
        try {
            for (int round = 1; round <= bench.size().rounds(); round++) {
                bench.progress()
                        .accept(scenario.name() + " round " + round + " of "
                                + bench.size().rounds());
                scenario.round(bench, figures);
            }
            return new ScenarioResult(scenario, figures, scenario.goals(figures), "");
        } catch (Exception e) {
            if (Thread.currentThread().isInterrupted() || e instanceof InterruptedException) {
                throw new InterruptedException("The benchmark was interrupted");
            }
            bench.progress().accept(scenario.name() + " failed: " + e);
            return new ScenarioResult(scenario, figures, List.of(), String.valueOf(e.getMessage()));
        }
    }
}
