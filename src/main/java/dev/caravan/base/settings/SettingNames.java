package dev.caravan.base.settings;

import java.util.Locale;
import java.util.Set;

/** The names of the settings, and of the environment variables that set them. */
public final class SettingNames {
    /**
     * The beginning of the names of the settings {@code caravan.answers.NAME}. They are about a destination, so they may be beside its route too.
     */
    public static final String ANSWERS = "caravan.answers.";

    /** All settings of the relay, without those whose names are free ({@link #ANSWERS}). */
    public static final Set<String> OF_RELAY = Set.of(
            "caravan.db.url",
            "caravan.db.user",
            "caravan.db.password",
            "caravan.schema",
            "caravan.schema.auto",
            "caravan.partition.size",
            "caravan.retention",
            "caravan.idempotent.retention",
            "caravan.discarded.retention",
            "caravan.audit.retention",
            "caravan.notices",
            "caravan.presence",
            "caravan.routes",
            "caravan.lib",
            "caravan.intakes",
            "caravan.tracing",
            "caravan.log.format",
            "caravan.management.token",
            "caravan.management.readToken",
            "caravan.management.mask",
            "caravan.people.proxies",
            "caravan.people.issuer",
            "caravan.people.client",
            "caravan.people.address",
            "caravan.people.names",
            "caravan.people.roles");

    private SettingNames() {}

    /** The variable of a setting: {@code CARAVAN_MANAGEMENT_READ_TOKEN} for {@code caravan.management.readToken}. */
    public static String variable(String setting) {
        return setting.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_")
                .replaceAll("[.-]", "_")
                .toUpperCase(Locale.ROOT);
    }

    /** Whether two names differ only in dots, dashes, underscores and upper case. */
    static boolean same(String one, String other) {
        return plain(one).equals(plain(other));
    }

    private static String plain(String name) {
        return name.replaceAll("[._-]", "").toLowerCase(Locale.ROOT);
    }
}
