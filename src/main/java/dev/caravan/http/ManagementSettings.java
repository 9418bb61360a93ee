package dev.caravan.http;

import dev.caravan.json.Mask;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Who may reach the management server, and what it shows.
 *
 * @param host the address it listens on
 * @param token gives full rights; without one everybody on this machine has them
 * @param readToken gives the right to look, but not at payloads
 * @param open paths that need no token: health and metrics
 */
public record ManagementSettings(
        String host, Optional<String> token, Optional<String> readToken, Mask mask, List<String> open) {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1", "[::1]");
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
    private static final int SHORTEST = 16;

    public static ManagementSettings from(Settings settings) {
        return new ManagementSettings(
                host(settings), token(settings), readToken(settings), mask(settings), openPaths(settings));
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(
                ManagementSettings::host,
                ManagementSettings::token,
                ManagementSettings::readToken,
                ManagementSettings::mask);
    }

    /** Without a token only this machine. */
    public static String host(Settings settings) {
        boolean secret = !settings.text("caravan.management.token", "").isEmpty();
        String host = settings.text("camel.management.host", secret ? "0.0.0.0" : "127.0.0.1");
        if (!secret && !LOOPBACK.contains(host) && settings.flag("camel.management.enabled", false)) {
            throw new SettingsException("camel.management.host is " + host + ", but caravan.management.token"
                    + " (MANAGEMENT_TOKEN) is not set: everybody who reaches the port could read and change messages."
                    + " Set the token, or leave the host out to listen on this machine only.");
        }
        return host;
    }

    private static Optional<String> token(Settings settings) {
        return secret(settings, "caravan.management.token");
    }

    private static Optional<String> readToken(Settings settings) {
        Optional<String> readToken = secret(settings, "caravan.management.readToken");
        Optional<String> token = token(settings);
        if (readToken.isPresent() && token.isEmpty()) {
            throw new SettingsException("caravan.management.readToken is set, but caravan.management.token is not:"
                    + " everybody on this machine would have more rights than the reader. Set both, or neither.");
        }
        if (readToken.isPresent() && readToken.equals(token)) {
            throw new SettingsException("caravan.management.readToken is the same as caravan.management.token:"
                    + " readers would have full rights. Choose another one.");
        }
        return readToken;
    }

    /** Its value is never told. */
    private static Optional<String> secret(Settings settings, String name) {
        String value = settings.text(name, "");
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (value.length() < SHORTEST || !TOKEN.matcher(value).matches()) {
            throw new SettingsException(name + " must be at least " + SHORTEST
                    + " letters, digits or characters of ._~+/- long, for example the output of: openssl rand -hex 24");
        }
        return Optional.of(value);
    }

    private static Mask mask(Settings settings) {
        return Mask.of(settings.text("caravan.management.mask", "phone,email,password,token"));
    }

    private static List<String> openPaths(Settings settings) {
        return List.of(
                settings.text("camel.management.healthPath", "/observe/health"),
                settings.text("camel.management.metricsPath", "/observe/metrics"));
    }

    public boolean needsToken() {
        return token.isPresent();
    }

    /** Hides the secrets. */
    @Override
    public String toString() {
        return "management server on " + host + (needsToken() ? " with a token" : " without a token");
    }
}
