package dev.caravan.routes.tryout;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Sent;

/**
 * What was sent, or would be, and the answer.
 *
 * @param answer the answer of the destination if it was sent, otherwise the simulated one
 */
public record Recorded(Sent sent, Answer answer) {}
