package dev.caravan.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which context a command uses, and why: the option, then {@code --config} or {@code CARAVAN_DB_URL} (no context), then {@code CARAVAN_CONTEXT},
 * then the choice of {@code context use}.
 */
record ContextChoice(Optional<OutboxContext> context, String reason) {
    /**
     * @param option the value of {@code --context}; null if not given
     * @param config whether {@code --config} is given
     */
    static ContextChoice of(String option, boolean config, Contexts contexts, Map<String, String> environment) {
        if (option != null) {
            return new ContextChoice(Optional.of(contexts.named(option)), "--context");
        }
        if (config) {
            return new ContextChoice(Optional.empty(), "--config is given");
        }
        for (String database : List.of("CARAVAN_DB_URL", "DB_URL")) {
            if (!environment.getOrDefault(database, "").isEmpty()) {
                return new ContextChoice(Optional.empty(), database + " is set");
            }
        }
        String variable = environment.getOrDefault("CARAVAN_CONTEXT", "");
        if (!variable.isEmpty()) {
            return new ContextChoice(Optional.of(contexts.named(variable)), "CARAVAN_CONTEXT");
        }
        return new ContextChoice(contexts.current().map(contexts::named), "context use");
    }
}
