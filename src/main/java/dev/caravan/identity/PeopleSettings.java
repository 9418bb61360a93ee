package dev.caravan.identity;

import dev.caravan.http.Authentication;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** The settings of people: where their names come from, and their roles. */
public final class PeopleSettings {
    static final String PROXIES = "caravan.people.proxies";
    static final String NAMES = "caravan.people.names";
    static final String ROLES = "caravan.people.roles";

    private PeopleSettings() {}

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(PeopleSettings::authentication);
    }

    /** How people are known. Without settings, only tokens are accepted. */
    public static Authentication authentication(Settings settings) {
        String proxies = settings.text(PROXIES, "");
        if (proxies.isEmpty()) {
            requireUnused(settings);
            return Authentication.NONE;
        }
        if (settings.text("caravan.management.token", "").isEmpty()) {
            throw new SettingsException(PROXIES + " is set, but caravan.management.token is not: without it every local"
                    + " request has all rights. Set both, or neither.");
        }
        return new TrustedProxy(AddressRange.list(PROXIES, proxies), headers(settings), roles(settings));
    }

    /** Roles without a source of names would have no effect. */
    private static void requireUnused(Settings settings) {
        if (!settings.text(ROLES, "").isEmpty()) {
            throw new SettingsException(
                    ROLES + " is set, but nothing says who people are: set " + PROXIES + ", or remove it.");
        }
    }

    private static RoleRules roles(Settings settings) {
        return RoleRules.parse(ROLES, settings.text(ROLES, ""));
    }

    private static TrustedProxy.Headers headers(Settings settings) {
        List<String> names = Arrays.stream(settings.text(NAMES, "X-Forwarded-User, X-Forwarded-Groups")
                        .split(","))
                .map(String::strip)
                .toList();
        if (names.size() != 2
                || names.stream().anyMatch(name -> !name.matches("[A-Za-z0-9-]+"))
                || names.get(0).equalsIgnoreCase(names.get(1))) {
            throw new SettingsException(NAMES + " must be two header names of letters, digits and hyphens: that of the"
                    + " person's name and that of the groups, such as X-Forwarded-User, X-Forwarded-Groups");
        }
        return new TrustedProxy.Headers(names.get(0), names.get(1));
    }
}
