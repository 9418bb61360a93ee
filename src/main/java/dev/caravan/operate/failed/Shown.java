package dev.caravan.operate.failed;

import dev.caravan.base.message.Mask;
import java.util.function.UnaryOperator;

/** How much of the content of a message is shown. Content may be personal data. */
public sealed interface Shown {
    /** The names of headers only. */
    Shown NAMES_ONLY = new NamesOnly();

    /** Everything, unchanged. */
    Shown ALL = new Content(UnaryOperator.identity());

    /** Everything except the values of masked fields. */
    static Shown masked(Mask mask) {
        return new Content(mask::hide);
    }

    /** @see #NAMES_ONLY */
    record NamesOnly() implements Shown {}

    /**
     * Payload and headers.
     *
     * @param filter applied to each of the two documents
     */
    record Content(UnaryOperator<String> filter) implements Shown {}
}
