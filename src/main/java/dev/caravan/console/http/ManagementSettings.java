package dev.caravan.console.http;

import dev.caravan.base.message.Mask;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.OutboxSchema;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The settings of the management server: address, tokens and masked fields.
 *
 * @param host the listen address
 * @param token grants the role admin; without it every local request has this role
 * @param readToken grants the role read
 * @param mask the fields whose values are hidden
 * @param open paths that need no token: health and metrics
 * @param services paths of services of Camel, which are off by default and have no roles
 * @param outbox the outbox of the relay
 */
public record ManagementSettings(
        String host,
        Optional<Token> token,
        Optional<Token> readToken,
        Mask mask,
        List<String> open,
        List<String> services,
        String outbox) {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1", "[::1]");

    public static ManagementSettings from(Settings settings) {
        return new ManagementSettings(
                host(settings),
                token(settings),
                readToken(settings),
                mask(settings),
                openPaths(settings),
                services(settings),
                OutboxSchema.of(settings).name());
    }

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(
                ManagementSettings::host,
                ManagementSettings::token,
                ManagementSettings::readToken,
                ManagementSettings::mask);
    }

    /** The listen address. Default: all addresses with a token, loopback without one. */
    public static String host(Settings settings) {
        boolean secret = !settings.text("caravan.management.token", "").isEmpty();
        String host = settings.text("camel.management.host", secret ? "0.0.0.0" : "127.0.0.1");
        if (!secret && !LOOPBACK.contains(host) && settings.flag("camel.management.enabled", false)) {
            throw new SettingsException("camel.management.host is " + host + ", but caravan.management.token"
                    + " (CARAVAN_MANAGEMENT_TOKEN) is not set: anyone who can reach the port could read and change messages."
                    + " Set the token, or remove camel.management.host to listen on this machine only.");
        }
        return host;
    }

    private static Optional<Token> token(Settings settings) {
        return Token.from(settings, "caravan.management.token");
    }

    private static Optional<Token> readToken(Settings settings) {
        Optional<Token> readToken = Token.from(settings, "caravan.management.readToken");
        Optional<Token> token = token(settings);
        if (readToken.isPresent() && token.isEmpty()) {
            throw new SettingsException("caravan.management.readToken is set, but caravan.management.token is not:"
                    + " without it every local request has full rights. Set both, or neither.");
        }
        if (readToken.isPresent() && readToken.map(Token::secret).equals(token.map(Token::secret))) {
            throw new SettingsException("caravan.management.readToken is the same as caravan.management.token:"
                    + " readers would have full rights. Choose another token.");
        }
        return readToken;
    }

    /** The fields whose values the HTTP API and the console hide. */
    public static Mask mask(Settings settings) {
        return Mask.of(settings.text("caravan.management.mask", "phone,email,password,token"));
    }

    private static List<String> openPaths(Settings settings) {
        return List.of(
                settings.text("camel.management.healthPath", "/observe/health"),
                settings.text("camel.management.metricsPath", "/observe/metrics"));
    }

    private static List<String> services(Settings settings) {
        return List.of(
                "/q",
                "/observe",
                settings.text("camel.management.infoPath", "/observe/info"),
                settings.text("camel.management.jolokiaPath", "/observe/jolokia"));
    }

    public boolean needsToken() {
        return token.isPresent();
    }

    /** Does not contain the tokens. */
    @Override
    public String toString() {
        return "management server on " + host + (needsToken() ? " with a token" : " without a token");
    }
}
