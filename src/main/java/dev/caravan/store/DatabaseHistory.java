package dev.caravan.store;

/**
 * What tells a database from others that have the same tables and other transactions: a promoted replica, a restored backup.
 *
 * @param server identifies the cluster; a replica has that of its primary
 * @param timeline grows with each promotion and with each recovery to a point in time
 */
record DatabaseHistory(String server, long timeline) {
    /** Whether the other one continued this one. */
    boolean isOlderThan(DatabaseHistory other) {
        return server.equals(other.server) && timeline < other.timeline;
    }
}
