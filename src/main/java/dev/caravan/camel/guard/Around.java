package dev.caravan.camel.guard;

import org.apache.camel.Exchange;

/** What is done before and after a step with an exchange that is {@link OwnExchanges own}. */
@FunctionalInterface
interface Around {
    /** For nothing to do after the step. */
    Runnable NOTHING = () -> {};

    /**
     * Runs before the step. If it throws, the step does not run and the message fails.
     *
     * @return what to do after the step
     */
    Runnable begin(Exchange exchange);
}
