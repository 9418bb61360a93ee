package dev.caravan.console.http;

import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.OutboxSchema;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The outboxes of the database in which a right is valid.
 *
 * @param names their schemas; empty for all outboxes
 */
public record OutboxNames(Optional<Set<String>> names) {
    public static final OutboxNames ALL = new OutboxNames(Optional.empty());

    /**
     * The names after the {@code @} in a setting, separated by commas.
     *
     * @param setting for the error message, which does not contain the names: they can be the end of a secret
     * @throws SettingsException if a name is missing, or cannot be the schema of an outbox
     */
    public static OutboxNames parse(String setting, String names) {
        Set<String> parsed =
                Arrays.stream(names.split(",", -1)).map(String::strip).collect(Collectors.toUnmodifiableSet());
        if (!parsed.stream().allMatch(OutboxSchema::isName)) {
            throw new SettingsException(setting + " must have schemas of outboxes after @, separated by commas, such as"
                    + " @public or @shop,billing");
        }
        return new OutboxNames(Optional.of(parsed));
    }

    public boolean includes(String outbox) {
        return names.map(some -> some.contains(outbox)).orElse(true);
    }
}
