package dev.caravan.database;

import dev.caravan.base.text.HiddenCharacters;

/**
 * A problem in the database that prevents a relay from working or violates a condition of its guarantees. Names that others choose are part of
 * it: it is one line, so that nothing in it looks like another problem.
 *
 * @param about the object with the problem, for example {@code outbox_id_seq}
 * @param text the problem, why it matters, and what to do
 */
public record DatabaseProblem(String about, String text) {
    public DatabaseProblem {
        about = HiddenCharacters.shownOnLine(about);
        text = HiddenCharacters.shownOnLine(text);
    }
}
