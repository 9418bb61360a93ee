package dev.caravan.destination;

/** Answers in place of the destinations. */
@FunctionalInterface
public interface Answers {
    Answers ACCEPTED = sent -> Answer.OK;

    Answer to(Sent sent);
}
