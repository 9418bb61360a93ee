package dev.caravan.console.http;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.OutboxSchema;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A token for machines. The setting is {@code SECRET}, or {@code SECRET@OUTBOX,OUTBOX} for some outboxes of the database only.
 *
 * @param secret the part that a request sends
 */
public record Token(String secret, OutboxNames outboxes) {
    private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
    private static final int MIN_LENGTH = 16;

    /**
     * Reads a token; empty if the setting is empty.
     *
     * @throws SettingsException if the value cannot be used; its text never contains the value
     */
    public static Optional<Token> from(Settings settings, String name) {
        String value = settings.text(name, "");
        if (value.isEmpty()) {
            return Optional.empty();
        }
        String[] parts = value.split("@", 2);
        if (parts[0].length() < MIN_LENGTH || !SECRET.matcher(parts[0]).matches()) {
            throw new SettingsException(name + " must have at least " + MIN_LENGTH
                    + " characters: letters, digits or ._~+/-. To create one, run: openssl rand -hex 24");
        }
        return Optional.of(new Token(parts[0], parts.length == 1 ? OutboxNames.ALL : some(settings, name, parts[1])));
    }

    private static OutboxNames some(Settings settings, String name, String names) {
        OutboxNames outboxes = OutboxNames.parse(name, names);
        String own = OutboxSchema.of(settings).name();
        if (!outboxes.includes(own)) {
            throw new SettingsException(name + " must also name the outbox of this relay after @: " + own);
        }
        return outboxes;
    }

    /** Does not contain the secret. */
    @Override
    public String toString() {
        return "token";
    }
}
