package dev.caravan.destination;

/** Supplies answers instead of the destinations. */
@FunctionalInterface
public interface Answers {
    Answers ACCEPTED = sent -> Answer.OK;

    Answer to(Sent sent);
}
