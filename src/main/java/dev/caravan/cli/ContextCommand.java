package dev.caravan.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code caravan context}: the databases that a person works with, by name. */
@Command(
        name = "context",
        description = "List, show and choose the contexts: the databases that you work with, by name.")
final class ContextCommand extends CommandGroup {
    ContextCommand() {
        super("Missing subcommand: list, show or use.");
    }

    @Command(name = "list", description = "List the contexts. The one that commands use is marked with *.")
    void list(@Mixin OutputOption output) {
        ContextChoice choice = caravan().choice(false);
        List<OutboxContext> all = List.copyOf(caravan().contexts().all());
        output.print(() -> table(all, choice), () -> all.stream()
                .map(context -> fields(context, isUsed(context, choice)))
                .toList());
    }

    private String table(List<OutboxContext> all, ContextChoice choice) {
        if (all.isEmpty()) {
            return "No contexts in " + caravan().contexts().file() + ".";
        }
        Table table = new Table("", "NAME", "DATABASE", "USER", "SCHEMA", "CONFIRM");
        for (OutboxContext context : all) {
            table.row(
                    isUsed(context, choice) ? "*" : "",
                    context.name(),
                    context.url(),
                    context.user(),
                    context.schema(),
                    context.confirm() ? "yes" : "no");
        }
        return table.toString();
    }

    private static boolean isUsed(OutboxContext context, ContextChoice choice) {
        return choice.context().filter(context::equals).isPresent();
    }

    @Command(name = "show", description = "Show a context, and why commands use it. Passwords are never shown.")
    void show(
            @Parameters(paramLabel = "NAME", arity = "0..1", description = "Default: the one that commands use.")
                    String name,
            @Mixin OutputOption output) {
        ContextChoice choice = caravan().choice(false);
        Optional<OutboxContext> shown = name == null
                ? choice.context()
                : Optional.of(caravan().contexts().named(name));
        if (shown.isEmpty()) {
            output.print(
                    () -> "Commands use no context"
                            + (choice.reason().equals("context use") ? "" : ", because " + choice.reason())
                            + ": the database is that of application.properties.",
                    () -> Map.of());
            return;
        }
        boolean used = isUsed(shown.get(), choice);
        Map<String, Object> fields = fields(shown.get(), used);
        output.print(() -> text(fields, used ? choice.reason() : ""), () -> fields);
    }

    private static String text(Map<String, Object> fields, String reason) {
        StringBuilder text = new StringBuilder();
        fields.forEach((name, value) ->
                text.append(String.format(Locale.ROOT, "%-9s %s%n", name, value == null ? "-" : value)));
        return text.append(reason.isEmpty() ? "" : String.format(Locale.ROOT, "%-9s %s", "chosen by", reason))
                .toString()
                .stripTrailing();
    }

    private static Map<String, Object> fields(OutboxContext context, boolean used) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", context.name());
        fields.put("used", used);
        fields.put("url", context.url());
        fields.put("user", context.user());
        fields.put("password", context.password().map(SecretReference::toString).orElse(null));
        fields.put("schema", context.schema());
        fields.put("config", context.config().map(Object::toString).orElse(null));
        fields.put("confirm", context.confirm());
        return fields;
    }

    @Command(name = "use", description = "Choose the context that commands use from now on.")
    void use(@Parameters(paramLabel = "NAME", description = "Name of the context.") String name) throws IOException {
        Contexts contexts = caravan().contexts();
        contexts.use(name);
        OutboxContext chosen = contexts.named(name);
        ContextChoice choice =
                ContextChoice.of(null, false, caravan().contexts(), caravan().environment());
        var out = spec().commandLine().getOut();
        out.println(
                isUsed(chosen, choice)
                        ? "Commands use " + chosen + "."
                        : "Chose " + chosen + ". Here, commands use " + preceding(choice) + ".");
        out.flush();
    }

    /** What the environment chooses instead. */
    private static String preceding(ContextChoice choice) {
        return choice.context()
                .map(context -> context + ", because of " + choice.reason())
                .orElseGet(() -> "no context, because " + choice.reason());
    }

    private Caravan caravan() {
        return (Caravan) spec().root().userObject();
    }
}
