package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The number of parts of a message that a step has in memory at once. */
class PartTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final Exchange message = new DefaultExchange(camel);
    private boolean isStreaming;
    private boolean sharesUnitOfWork;
    private boolean isInTry;

    @BeforeEach
    void begin() {
        Part.begin(message, false).stepBegins();
    }

    private void parts(long number) {
        for (long i = 0; i < number; i++) {
            Exchange copy = new DefaultExchange(camel);
            if (isInTry) {
                copy.setProperty(ExchangePropertyKey.TRY_ROUTE_BLOCK, true);
            }
            Part.beginPart(message, copy, true, sharesUnitOfWork, isStreaming);
        }
    }

    private void oneMoreIsRefused() {
        assertThatThrownBy(() -> parts(1)).isInstanceOf(FieldException.class).hasMessageContaining("Set streaming");
    }

    @Test
    void a_batch_of_any_size_can_be_split() {
        assertThat(Part.MOST_PARTS).isGreaterThanOrEqualTo(10_000);
    }

    @Test
    void a_step_that_makes_all_parts_at_once_has_a_limit() {
        parts(Part.MOST_PARTS);

        oneMoreIsRefused();
    }

    @Test
    void a_step_that_makes_one_part_after_the_other_has_none() {
        isStreaming = true;
        parts(Part.MOST_PARTS + 1);
    }

    /** Their ends are known at the end of the step. */
    @Test
    void a_step_in_doTry_has_a_limit() {
        isStreaming = true;
        parts(Part.MOST_PARTS - 1);
        isInTry = true;
        parts(1);

        oneMoreIsRefused();
    }

    @Test
    void a_step_that_shares_the_unit_of_work_has_a_limit() {
        isStreaming = true;
        parts(Part.MOST_PARTS - 1);
        sharesUnitOfWork = true;
        parts(1);

        oneMoreIsRefused();
    }

    @Test
    void each_step_begins_to_count_again() {
        parts(Part.MOST_PARTS);
        Part.of(message).stepBegins();
        parts(1);

        assertThat(Part.of(message).fault(message)).isNull();
    }
}
