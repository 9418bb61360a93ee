package dev.caravan.database;

/**
 * A problem in the database that prevents a relay from working or violates a condition of its guarantees.
 *
 * @param about the object with the problem, for example {@code outbox_id_seq}
 * @param text the problem, why it matters, and what to do
 */
public record DatabaseProblem(String about, String text) {}
