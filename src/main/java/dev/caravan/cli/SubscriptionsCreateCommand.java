package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Start;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.SubscriptionCreation;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code caravan subscriptions create}: creates a subscription before its route runs. */
@Command(
        name = "create",
        sortOptions = false,
        description = {
            "Create a subscription before its route runs for the first time.",
            "Without this command, a subscription is created when a relay starts its route, at the option start of the route."
        })
final class SubscriptionsCreateCommand implements Callable<Integer> {
    private static final int MAX_LANES = 64;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Option(names = "--paused", description = "Deliver nothing until the subscription is resumed.")
    private boolean paused;

    @Option(
            names = "--start",
            paramLabel = "START",
            defaultValue = "earliest",
            converter = StartConverter.class,
            description = "Where it starts, as in the route: earliest, latest, an id, or a time such as"
                    + " 2026-01-31T00:00:00Z. Default: earliest.")
    private Start start;

    @Option(
            names = "--lanes",
            paramLabel = "NUMBER",
            defaultValue = "1",
            description = "Number of lanes, as in the route, 1 to 64. Default: 1.")
    private int lanes;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** Parses the values of the option start of a route. */
    private static final class StartConverter implements ITypeConverter<Start> {
        @Override
        public Start convert(String text) {
            try {
                return Start.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    @Override
    public Integer call() throws SQLException {
        if (lanes < 1 || lanes > MAX_LANES) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--lanes must be between 1 and " + MAX_LANES + ", got " + lanes + ". Nothing was changed.");
        }
        Actor by = actor.actor();
        long position =
                new SubscriptionCreation(options.database(), Clock.SYSTEM).create(name, lanes, start, paused, by);
        output.print(() -> text(position), () -> fields(position));
        return 0;
    }

    private String text(long position) {
        return "Created " + name + (paused ? ", paused" : "") + ". It starts after id " + position
                + (paused ? ". Resume it with: caravan subscriptions resume " + name : ".");
    }

    private Map<String, Object> fields(long position) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("position", position);
        fields.put("lanes", lanes);
        fields.put("paused", paused);
        return fields;
    }
}
