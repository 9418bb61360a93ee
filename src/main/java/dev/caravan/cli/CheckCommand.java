package dev.caravan.cli;

import dev.caravan.adopt.capture.Captures;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.adopt.intake.IntakeRoutes;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.SharedSessions;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.database.schema.SchemaVersion;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.relay.Console;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.CheckedDestinations;
import dev.caravan.routes.check.CheckedRoutes;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.check.ConnectionLimits;
import dev.caravan.routes.context.SettingsBeans;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.apache.camel.spi.Registry;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan check}: finds what would prevent a relay from working, without starting one. */
@Command(
        name = "check",
        description = {
            "Check settings, route files, intakes, database and destinations. Nothing is started or changed, except for"
                    + " --create-topics.",
            "Route files are parsed, and their endpoints, expressions and steps are created. No message is processed.",
            "Exit code 2: settings or routes have a problem, and run would refuse to start. Exit code 1: only intakes, the"
                    + " database or destinations have a problem."
        })
final class CheckCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions options;

    @Mixin
    private OutputOption output;

    @Option(
            names = "--create-topics",
            description =
                    "Create the Kafka topics that routes name and that do not exist, with the partitions and replicas"
                            + " that the brokers give a topic by default.")
    private boolean createTopics;

    @Option(names = "--no-routes", description = "Check settings and database only: the routes run in applications.")
    private boolean noRoutes;

    @Override
    public Integer call() throws Exception {
        List<CheckResult> findings = findings(options.ofRelay());
        output.print(CheckText.of(findings), new CheckText.Checked(CheckText.isOk(findings), findings));
        return CheckText.isOk(findings) ? ExitCode.OK : CheckText.exitCode(findings);
    }

    private List<CheckResult> findings(Settings settings) throws Exception {
        List<CheckResult> findings = new ArrayList<>();
        Optional<CheckedRoutes> routes = Optional.empty();
        CheckedIntakes intakes =
                noRoutes ? CheckedIntakes.of(List.of()) : CheckedIntakes.in(IntakeFile.folder(settings));
        if (noRoutes) {
            findings.addAll(Configuration.withoutRoutes(settings, Console.settings(), Console::uses));
        } else {
            routes = Optional.of(configuration(settings, findings, intakes));
        }
        List<CheckResult> database = database(settings, routes, intakes);
        findings.addAll(intakes.findings());
        findings.addAll(database);
        return findings;
    }

    private CheckedRoutes configuration(Settings settings, List<CheckResult> findings, CheckedIntakes intakes)
            throws Exception {
        try (Configuration configuration = new Configuration(settings, Relay.settings())) {
            findings.addAll(configuration.findings());
            boolean create = createTopics && CheckText.isOk(findings); // a route with a problem may name a wrong topic
            findings.addAll(new CheckedDestinations(settings, configuration.camel(), configuration.routes(), create)
                    .findings());
            if (!intakes.isEmpty()) {
                Registry registry = configuration.camel().getRegistry();
                try (SettingsBeans beans = new SettingsBeans(
                        settings, name -> Optional.ofNullable(registry.lookupByNameAndType(name, DataSource.class)))) {
                    intakes.sources(beans, false);
                }
            }
            return configuration.routes();
        }
    }

    private List<CheckResult> database(Settings settings, Optional<CheckedRoutes> routes, CheckedIntakes intakes) {
        try {
            Optional<DatabaseProblem> shared = new SharedSessions(Database.forCommand(settings)).problem();
            if (shared.isPresent()) {
                return CheckText.findings(List.of(shared.get()));
            }
            DataSource database = options.reused(Database.forCommand(settings));
            List<DatabaseProblem> problems = new SchemaCheck(database).problems();
            if (!problems.isEmpty()) {
                return CheckText.findings(problems);
            }
            if (!intakes.isEmpty()) {
                intakes.outbox(database);
            }
            return subscriptions(settings, database, routes);
        } catch (SettingsException e) {
            return List.of(); // reported with the settings
        } catch (SQLException e) {
            return List.of(CheckText.unavailable(e));
        }
    }

    private static List<CheckResult> subscriptions(
            Settings settings, DataSource database, Optional<CheckedRoutes> routes) throws SQLException {
        List<CheckResult> findings = new ArrayList<>(
                List.of(CheckResult.ok("database", "outbox", "version, tables, sequence and privileges are correct")));
        SchemaVersion.noteOfNewer(database).ifPresent(note -> findings.add(CheckResult.ok("database", "schema", note)));
        List<SubscriptionStatus> subscriptions = SubscriptionStatus.all(database);
        findings.addAll(CheckText.findings(new SchemaCheck(database).positionsAhead()));
        findings.addAll(CheckText.findings(new SchemaCheck(database).messagesAhead()));
        findings.addAll(CheckText.findings(new SchemaCheck(database).triggersOfOthers()));
        findings.addAll(halts(subscriptions));
        findings.addAll(captures(database));
        new Captures(database)
                .rightsThatOthersGain()
                .forEach(text -> findings.add(CheckResult.problem("database", "captures", text)));
        if (routes.isPresent()) {
            findings.addAll(lanes(subscriptions, routes.get().lanesOfSubscriptions()));
            ConnectionLimits.problem(
                            database,
                            routes.get().largestConcurrency(),
                            IntakeRoutes.areIn(IntakeFile.folder(settings)))
                    .ifPresent(findings::add);
            findings.addAll(routes.get().refusedStatements(Database.forAnyTable(settings)));
            findings.addAll(routes.get().unmatchedTypes(database));
        }
        return findings;
    }

    private static List<CheckResult> halts(List<SubscriptionStatus> subscriptions) {
        return subscriptions.stream()
                .filter(status -> status.halt().isPresent())
                .map(status -> CheckResult.problem(
                        "database",
                        status.name(),
                        "is halted: " + status.halt().get().reason()
                                + ". None of its messages are delivered. Choose the id to resume after:"
                                + " ./caravan subscriptions resume " + status.name() + " --after ID"))
                .toList();
    }

    private static List<CheckResult> captures(DataSource database) throws SQLException {
        return new Captures(database)
                .list().stream()
                        .flatMap(capture -> capture.faults().stream()
                                .map(fault -> CheckResult.problem(
                                        "database",
                                        "capture " + capture.name(),
                                        fault + ". Run: ./caravan capture check")))
                        .toList();
    }

    private static List<CheckResult> lanes(List<SubscriptionStatus> subscriptions, Map<String, Integer> inRoutes) {
        return subscriptions.stream()
                .filter(status -> status.lanes().size()
                        != inRoutes.getOrDefault(status.name(), status.lanes().size()))
                .map(status -> otherLanes(status.name(), status.lanes().size(), inRoutes.get(status.name())))
                .toList();
    }

    private static CheckResult otherLanes(String subscription, int inDatabase, int inRoute) {
        return CheckResult.problem(
                "lanes",
                subscription,
                "has " + Formatted.counted(inDatabase, "lane") + " in the database, but " + inRoute
                        + " in its route. No relay delivers its messages until they agree. Set the option lanes of the route to "
                        + inDatabase + ", or change the database with ./caravan subscriptions lanes " + subscription
                        + " "
                        + inRoute);
    }
}
