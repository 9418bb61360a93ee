package dev.caravan.operate.housekeeping;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What housekeeping creates and how long it keeps rows.
 *
 * @param partitionSize ids in each new partition of the outbox
 * @param retention minimum age of messages that are pruned
 * @param idempotentRetention time for which the ids of idempotent consumers are stored
 * @param discardedRetention time for which discarded dead letters are stored
 * @param auditRetention time for which rows of the audit are stored
 */
public record HousekeepingSettings(
        long partitionSize,
        Retention retention,
        Duration idempotentRetention,
        Duration discardedRetention,
        Duration auditRetention) {
    private static final List<String> OPTIONS =
            List.of("partitionSize", "retention", "idempotentRetention", "discardedRetention", "auditRetention");
    private static final List<String> SETTINGS = List.of(
            "caravan.partition.size",
            "caravan.retention",
            "caravan.idempotent.retention",
            "caravan.discarded.retention",
            "caravan.audit.retention");

    /**
     * The settings of a relay.
     *
     * @throws SettingsException if one is invalid
     */
    public static HousekeepingSettings from(Settings settings) {
        return read(settings, SETTINGS);
    }

    /** One reader for each setting of a relay, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(
                settings -> Partitions.size(settings, SETTINGS.get(0)),
                settings -> Retention.from(settings, SETTINGS.get(1)),
                settings -> IdempotentIds.retention(settings, SETTINGS.get(2)),
                settings -> Discards.retention(settings, SETTINGS.get(3)),
                settings -> AuditRetention.retention(settings, SETTINGS.get(4)));
    }

    /**
     * The values of the options of the component {@code outbox}.
     *
     * @param options by name; a missing one has its default
     * @throws SettingsException if one is invalid
     */
    public static HousekeepingSettings ofOptions(Map<String, String> options) {
        return read(Settings.of(options), OPTIONS);
    }

    private static HousekeepingSettings read(Settings settings, List<String> names) {
        return new HousekeepingSettings(
                Partitions.size(settings, names.get(0)),
                Retention.from(settings, names.get(1)),
                IdempotentIds.retention(settings, names.get(2)),
                Discards.retention(settings, names.get(3)),
                AuditRetention.retention(settings, names.get(4)));
    }
}
