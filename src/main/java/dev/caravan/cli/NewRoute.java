package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.draft.Draft;
import java.util.ArrayList;
import java.util.List;

/**
 * A route that was just written.
 *
 * @param settings those of the relay, with the route in its routes folder
 */
record NewRoute(Draft draft, Settings settings) {
    /** Prints what the route still needs, and what {@code check} finds in it. @return whether it can run */
    boolean report(CommandOptions out) throws Exception {
        List<String> missing = new ArrayList<>();
        draft.unset(settings)
                .forEach((setting, variable) -> missing.add("the setting " + setting
                        + ": set the environment variable " + variable + ", or write the value into " + draft.name()
                        + ".properties"));
        List<CheckResult> findings;
        try (Configuration configuration = new Configuration(settings, Relay.settings())) {
            draft.destination()
                    .component()
                    .filter(component -> configuration.camel().getComponent(component) == null)
                    .ifPresent(component ->
                            missing.add("the component " + component + ": ./caravan component add " + component));
            findings = configuration.findings().stream()
                    .filter(finding -> finding.name().startsWith(draft.name() + ".camel.yaml"))
                    .toList();
        }
        if (!missing.isEmpty()) {
            out.print("Still missing:\n- " + String.join("\n- ", missing));
        }
        findings.forEach(finding -> out.print(
                "check: " + (finding.ok() ? "ok" : "PROBLEM") + "  " + finding.name() + ": " + finding.text()));
        boolean ok = findings.stream().allMatch(CheckResult::ok);
        if (!ok) {
            out.print("The route cannot run yet. Its files are kept: supply what is missing, or correct them.");
        }
        return ok;
    }
}
