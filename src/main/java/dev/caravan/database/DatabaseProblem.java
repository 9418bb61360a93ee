package dev.caravan.database;

/**
 * Something in the database that keeps a relay from working or from keeping its promises.
 *
 * @param about what has the problem, for example {@code outbox_id_seq}
 * @param text what is wrong, why it matters and what to do now
 */
public record DatabaseProblem(String about, String text) {}
