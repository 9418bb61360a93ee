package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The person who makes a change and the reason, for the audit. */
final class ActorOptions extends CommandOptions {
    @Option(
            names = "--who",
            paramLabel = "NAME",
            description = "Your name, for the audit. Default: the user of the operating system.")
    private String who;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Reason for the change, for the audit.")
    private String reason;

    Actor actor() {
        String name = who == null ? System.getProperty("user.name", "unknown") : who;
        if (name.isBlank()) {
            throw wrong("--who must not be empty. Nothing was changed.");
        }
        return new Actor(
                name.strip(), Optional.ofNullable(reason).map(String::strip).filter(text -> !text.isEmpty()));
    }
}
