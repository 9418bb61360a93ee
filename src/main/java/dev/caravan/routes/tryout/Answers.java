package dev.caravan.routes.tryout;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;

/** Supplies answers instead of the destinations. */
@FunctionalInterface
public interface Answers {
    Answers ACCEPTED = sent -> Answer.OK;

    Answer to(Sent sent);
}
