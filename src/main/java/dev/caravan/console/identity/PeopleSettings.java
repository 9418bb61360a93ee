package dev.caravan.console.identity;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.console.http.Authentication;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The settings of people: where their names come from, and their roles. */
public final class PeopleSettings {
    static final String PROXIES = "caravan.people.proxies";
    static final String ISSUER = "caravan.people.issuer";
    static final String CLIENT = "caravan.people.client";
    static final String ADDRESS = "caravan.people.address";
    static final String NAMES = "caravan.people.names";
    static final String ROLES = "caravan.people.roles";
    static final String TOKEN = "caravan.management.token";

    private PeopleSettings() {}

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(settings -> read(settings, Clock.SYSTEM));
    }

    /**
     * The way to identify people that is configured. Without these settings, only tokens are accepted.
     *
     * @param database stores which sessions have ended
     */
    public static Authentication authentication(Settings settings, DataSource database) {
        return read(settings, Clock.SYSTEM).apply(EndedSessions.Store.in(database));
    }

    /** What is configured, and still needs the store of ended sessions. */
    static Function<EndedSessions.Store, Authentication> read(Settings settings, Clock clock) {
        boolean proxies = isSet(settings, PROXIES);
        boolean issuer = isSet(settings, ISSUER);
        if (!proxies && !issuer) {
            requireUnused(settings);
            return store -> Authentication.NONE;
        }
        if (proxies && issuer) {
            throw new SettingsException(PROXIES + " and " + ISSUER
                    + " are both set, but names can come from one of them" + " only. Remove one.");
        }
        if (!isSet(settings, TOKEN)) {
            throw new SettingsException((proxies ? PROXIES : ISSUER) + " is set, but " + TOKEN
                    + " is not: without it every" + " local request has all rights. Set both, or neither.");
        }
        RoleRules roles = RoleRules.parse(ROLES, settings.text(ROLES, ""));
        if (proxies) {
            Authentication proxy = new TrustedProxy(
                    AddressRange.list(PROXIES, settings.text(PROXIES, "")), TrustedProxy.Headers.from(settings), roles);
            return store -> proxy;
        }
        OpenIdSettings provider = OpenIdSettings.from(settings);
        return store -> new SignIn(provider, roles, new EndedSessions(store, clock), clock);
    }

    /** Refuses settings that have no effect without a source of names. */
    private static void requireUnused(Settings settings) {
        Stream.of(ROLES, CLIENT, ADDRESS)
                .filter(name -> isSet(settings, name))
                .findFirst()
                .ifPresent(name -> {
                    throw new SettingsException(name + " is set, but has no effect without " + PROXIES + " or " + ISSUER
                            + ". Set one of them, or remove " + name + ".");
                });
    }

    static String withoutRole(String name) {
        return name + " has no role in Caravan. " + ROLES + " lists the groups that have one.";
    }

    private static boolean isSet(Settings settings, String name) {
        return !settings.text(name, "").isEmpty();
    }
}
