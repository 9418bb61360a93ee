package dev.caravan.engine.lane;

/**
 * The session of the owner of a lane, which was found to have ended because its advisory lock was free.
 *
 * @param server number of the history of its server; the session has ended only if the statement ran there
 */
public record EndedSession(long key, long server) {}
