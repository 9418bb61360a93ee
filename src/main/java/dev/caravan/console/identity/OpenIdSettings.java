package dev.caravan.console.identity;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.http.OutboxNames;
import dev.caravan.console.http.Token;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How people sign in with an OpenID provider.
 *
 * @param address the address of the console in browsers, without a final slash
 * @param nameClaim the claim of the ID token with the name of the person
 * @param groupsClaim the claim with the groups
 * @param cookieSecret the secret that encrypts the cookies; the same for all relays
 */
record OpenIdSettings(
        String issuer,
        String client,
        Optional<String> secret,
        String address,
        String nameClaim,
        String groupsClaim,
        String cookieSecret) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    static OpenIdSettings from(Settings settings) {
        String[] client = settings.text(PeopleSettings.CLIENT, "").split(":", 2);
        if (client[0].isBlank()) {
            throw new SettingsException(PeopleSettings.CLIENT + " is missing: the client id of Caravan at the provider"
                    + " of " + PeopleSettings.ISSUER + ", and the client secret, as id:secret");
        }
        Optional<String> secret =
                Optional.of(client).filter(parts -> parts.length == 2).map(parts -> parts[1]);
        List<String> claims = claims(settings);
        return new OpenIdSettings(
                secureAddress(PeopleSettings.ISSUER, settings),
                client[0],
                secret,
                withoutPath(PeopleSettings.ADDRESS, secureAddress(PeopleSettings.ADDRESS, settings)),
                claims.get(0),
                claims.get(1),
                cookieSecret(Token.from(settings, PeopleSettings.TOKEN).orElseThrow(), secret));
    }

    /** Not the token alone: who has it, such as a machine that may use one outbox only, could create a session of any person. */
    private static String cookieSecret(Token token, Optional<String> secret) {
        if (secret.isEmpty() && !token.outboxes().equals(OutboxNames.ALL)) {
            throw new SettingsException(PeopleSettings.CLIENT + " has no secret, and " + PeopleSettings.TOKEN
                    + " is limited to some outboxes: who has this token could create a session of any person in all"
                    + " outboxes. Give the client a secret, as id:secret, or remove the limit.");
        }
        return token.secret() + "\n" + secret.orElse("");
    }

    private static List<String> claims(Settings settings) {
        List<String> names = Arrays.stream(settings.text(PeopleSettings.NAMES, "preferred_username, groups")
                        .split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
        if (names.size() != 2) {
            throw new SettingsException(
                    PeopleSettings.NAMES + " must be two claims of the ID token: that of the person's name"
                            + " and that of the groups, such as preferred_username, groups");
        }
        return names;
    }

    /** Requires TLS, because codes, tokens and cookies must not be sent unencrypted. */
    private static String secureAddress(String setting, Settings settings) {
        String text = settings.text(setting, "");
        URI uri = uri(setting, text);
        if (uri.getQuery() != null || !isSecure(uri)) {
            throw new SettingsException(
                    setting + " must be an address that begins with https:// (or http://localhost), got "
                            + (text.isEmpty() ? "none" : text));
        }
        return text.endsWith("/") && setting.equals(PeopleSettings.ADDRESS)
                ? text.substring(0, text.length() - 1)
                : text;
    }

    /** Whether it has TLS, or is an address of this machine. */
    static boolean isSecure(URI uri) {
        boolean clear = "http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost());
        return uri.getHost() != null && (clear || "https".equals(uri.getScheme()));
    }

    private static URI uri(String setting, String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw new SettingsException(setting + " is not an address: " + text);
        }
    }

    private static String withoutPath(String setting, String address) {
        if (!URI.create(address).getPath().isEmpty()) {
            throw new SettingsException(setting + " must not have a path, got " + address);
        }
        return address;
    }

    boolean isSecure() {
        return address.startsWith("https:");
    }

    String callback() {
        return address + SignIn.CALLBACK;
    }

    /** Does not contain the secrets. */
    @Override
    public String toString() {
        return "OpenID provider " + issuer + " for " + address;
    }
}
