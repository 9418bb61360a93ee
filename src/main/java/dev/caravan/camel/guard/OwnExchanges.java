package dev.caravan.camel.guard;

import org.apache.camel.Exchange;
import org.apache.camel.SafeCopyProperty;

/**
 * Tells the exchanges that carry a message of an outbox from those of other routes of the application. What Caravan changes in Camel
 * applies to the former only.
 *
 * <p>The component marks each exchange that it creates with a property that steps of a route cannot remove, and that Camel copies with the
 * exchange: parts of a split or multicast, copies of a wire tap, exchanges in a queue of {@code seda:}, and those that run after the end of
 * an attempt, such as onCompletion, are own too. An exchange that a bean of a route creates is not.
 */
public final class OwnExchanges implements SafeCopyProperty {
    private static final String PROPERTY = "CamelOutboxOwn";
    private static final OwnExchanges OWN = new OwnExchanges();

    private OwnExchanges() {}

    /** Marks an exchange that the component has created. */
    public static void mark(Exchange exchange) {
        exchange.getExchangeExtension().setSafeCopyProperty(PROPERTY, OWN);
    }

    /** Whether an exchange carries a message of an outbox, a part or a batch of them, or a dead letter. Costs a look at a null field for most others. */
    public static boolean isOwn(Exchange exchange) {
        return exchange.getExchangeExtension().getSafeCopyProperty(PROPERTY, OwnExchanges.class) != null;
    }

    @Override
    public OwnExchanges safeCopy() {
        return this;
    }
}
