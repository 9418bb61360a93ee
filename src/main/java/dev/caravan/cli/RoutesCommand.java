package dev.caravan.cli;

import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.context.RouteOutline;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code caravan routes}: what the routes read, do and send. */
@Command(
        name = "routes",
        description = {
            "List the routes: file, subscription, types, steps and destinations. Needs no database, and nothing is started.",
            "Addresses are shown without parameters. Exit code 2: routes or settings have a problem."
        })
final class RoutesCommand implements Callable<Integer> {
    private static final Table<RouteOutline> TABLE = new Table<RouteOutline>("There are no routes.")
            .column("ROUTE", RouteOutline::id)
            .column("SOURCE", RouteOutline::source)
            .column("SUBSCRIPTION", route -> route.subscription().orElse("- (" + route.from() + ")"))
            .column(
                    "TYPES",
                    route ->
                            route.subscription().isPresent() && route.types().isEmpty() ? "all" : orDash(route.types()))
            .column("STEPS", RouteOutline::stepsText)
            .column("DESTINATIONS", route -> orDash(String.join(", ", route.destinations())));

    @Mixin
    private SettingsOptions options;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws Exception {
        try (Configuration configuration = new Configuration(options.ofRelay(), Relay.settings())) {
            List<RouteOutline> routes = RouteOutline.all(configuration.camel());
            String errors = String.join(", ", RouteOutline.errorHandling(configuration.camel()));
            output.print(TABLE.text(routes) + "\nFailures are classified by " + errors + ".", routes);
            List<CheckResult> problems = configuration.findings().stream()
                    .filter(finding -> !finding.ok())
                    .toList();
            problems.forEach(finding -> options.report("PROBLEM  " + finding.name() + ": " + finding.text()));
            return problems.isEmpty() ? ExitCode.OK : ExitCode.USAGE;
        }
    }

    private static String orDash(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
