package dev.caravan.destination;

/**
 * What was sent, or would be, and the answer.
 *
 * @param answer of the destination if it was sent, else the given one
 */
public record Recorded(Sent sent, Answer answer) {}
