package dev.caravan.json;

import java.util.function.UnaryOperator;

/** How much of what may be personal is shown of a message. */
public sealed interface Shown {
    /** Neither the payload nor the values of headers. */
    Shown NAMES_ONLY = new NamesOnly();

    /** All, as it was written. */
    Shown ALL = new Content(UnaryOperator.identity());

    /** All but the values of some fields. */
    static Shown masked(Mask mask) {
        return new Content(mask::hide);
    }

    /** @see #NAMES_ONLY */
    record NamesOnly() implements Shown {}

    /**
     * Payload and headers.
     *
     * @param filter what each of the two documents goes through
     */
    record Content(UnaryOperator<String> filter) implements Shown {}
}
