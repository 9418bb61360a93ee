package dev.caravan.cli;

import java.io.IOException;
import java.nio.file.Path;
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
        super("list", "show", "use");
    }

    /** A context as JSON. */
    private record Shown(
            String name,
            boolean used,
            String url,
            String user,
            String password,
            String schema,
            String config,
            boolean confirm) {
        static Shown of(OutboxContext context, ContextChoice choice) {
            return new Shown(
                    context.name(),
                    isUsed(context, choice),
                    context.url(),
                    context.user(),
                    context.password().map(SecretReference::toString).orElse(null),
                    context.schema(),
                    context.config().map(Path::toString).orElse(null),
                    context.confirm());
        }

        String text(String reason) {
            String text = line("name", name)
                    + line("used", used)
                    + line("url", url)
                    + line("user", user)
                    + line("password", password)
                    + line("schema", schema)
                    + line("config", config)
                    + line("confirm", confirm)
                    + (used ? line("chosen by", reason) : "");
            return text.stripTrailing();
        }

        private static String line(String field, Object value) {
            return String.format(Locale.ROOT, "%-9s %s%n", field, value == null ? "-" : value);
        }
    }

    @Command(name = "list", description = "List the contexts. The one that commands use is marked with *.")
    void list(@Mixin OutputOption output) {
        ContextChoice choice = output.caravan().choice(false);
        List<Shown> all = output.caravan().contexts().all().stream()
                .map(context -> Shown.of(context, choice))
                .toList();
        Table<Shown> table = new Table<Shown>(
                        "No contexts in " + output.caravan().contexts().file() + ".")
                .column("", context -> context.used() ? "*" : "")
                .column("NAME", Shown::name)
                .column("DATABASE", Shown::url)
                .column("USER", Shown::user)
                .column("SCHEMA", Shown::schema)
                .column("CONFIRM", context -> context.confirm() ? "yes" : "no");
        output.print(table.text(all), all);
    }

    private static boolean isUsed(OutboxContext context, ContextChoice choice) {
        return choice.context().filter(context::equals).isPresent();
    }

    @Command(name = "show", description = "Show a context, and why commands use it. Passwords are never shown.")
    void show(
            @Parameters(paramLabel = "NAME", arity = "0..1", description = "Default: the one that commands use.")
                    String name,
            @Mixin OutputOption output) {
        ContextChoice choice = output.caravan().choice(false);
        Optional<OutboxContext> context = name == null
                ? choice.context()
                : Optional.of(output.caravan().contexts().named(name));
        if (context.isEmpty()) {
            output.print(
                    "Commands use no context"
                            + (choice.reason().equals("context use") ? "" : ", because " + choice.reason())
                            + ": the database is that of application.properties.",
                    Map.of());
        } else {
            Shown shown = Shown.of(context.get(), choice);
            output.print(shown.text(choice.reason()), shown);
        }
    }

    @Command(name = "use", description = "Choose the context that commands use from now on.")
    void use(
            @Parameters(paramLabel = "NAME", description = "Name of the context.") String name,
            @Mixin CommandOptions command)
            throws IOException {
        Caravan caravan = command.caravan();
        Contexts contexts = caravan.contexts();
        contexts.use(name);
        OutboxContext chosen = contexts.named(name);
        ContextChoice choice = ContextChoice.of(null, false, caravan.contexts(), caravan.environment());
        command.print(
                isUsed(chosen, choice)
                        ? "Commands use " + chosen + "."
                        : "Chose " + chosen + ". Here, commands use " + preceding(choice) + ".");
    }

    /** What the environment chooses instead. */
    private static String preceding(ContextChoice choice) {
        return choice.context()
                .map(context -> context + ", because of " + choice.reason())
                .orElseGet(() -> "no context, because " + choice.reason());
    }
}
