package dev.caravan.engine.store;

/**
 * Identifies the history of a database. A promoted replica or a restored backup has the same tables but another history.
 *
 * @param server system identifier of the cluster; a replica has that of its primary
 * @param timeline grows with each promotion and each point-in-time recovery
 */
public record DatabaseHistory(String server, long timeline) {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** A number for the row of a lane: different for each timeline of a server, and almost certainly for different servers. */
    public long number() {
        return server.hashCode() * SPREAD + timeline;
    }

    /** Whether the other history is a later timeline of the same server. */
    boolean isOlderThan(DatabaseHistory other) {
        return server.equals(other.server) && timeline < other.timeline;
    }
}
