package dev.caravan.camel.guard;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.FieldException;
import java.lang.ref.WeakReference;
import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.processor.MulticastProcessor;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many parts of a message a step has in memory at once, and what is kept of them. */
class PartTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final Exchange message = new DefaultExchange(camel);
    private boolean isStreaming;
    private boolean isParallel;
    private boolean sharesUnitOfWork;
    private boolean isInTry;
    private MulticastProcessor step;

    @BeforeEach
    void begin() {
        Part.begin(message, "", false).stepBegins(message);
    }

    private void parts(long number) {
        for (long i = 0; i < number; i++) {
            part();
        }
    }

    private Exchange part() {
        Exchange copy = new DefaultExchange(camel);
        if (isInTry) {
            copy.setProperty(ExchangePropertyKey.TRY_ROUTE_BLOCK, true);
        }
        Part.beginPart(message, copy, step());
        return copy;
    }

    private MulticastProcessor step() {
        if (step == null) {
            step = new MulticastProcessor(
                    camel,
                    null,
                    List.of(),
                    null,
                    isParallel,
                    null,
                    false,
                    isStreaming,
                    false,
                    0,
                    null,
                    sharesUnitOfWork,
                    false,
                    0);
        }
        return step;
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

    /** Camel does not report the end of a part there. */
    @Test
    void a_step_in_doTry_has_none_if_one_part_ends_before_the_next_begins() {
        isInTry = true;
        isStreaming = true;
        parts(Part.MOST_PARTS + 1);
    }

    @Test
    void a_step_in_doTry_has_a_limit_if_it_makes_parts_in_parallel() {
        isInTry = true;
        isStreaming = true;
        isParallel = true;
        parts(Part.MOST_PARTS);

        oneMoreIsRefused();
    }

    @Test
    void a_step_that_shares_the_unit_of_work_has_a_limit_if_it_makes_parts_in_parallel() {
        sharesUnitOfWork = true;
        isStreaming = true;
        isParallel = true;
        parts(Part.MOST_PARTS);

        oneMoreIsRefused();
    }

    /** What failed is known before the step ends, and is not forgotten. */
    @Test
    void a_failed_part_in_doTry_fails_the_message() {
        isInTry = true;
        isStreaming = true;
        Exchange failed = part();
        failed.setException(new IllegalStateException("told to fail"));
        parts(2);
        Part.of(message).stepEnded(message);

        assertThat(Part.of(message).fault(message).error()).hasMessage("told to fail");
    }

    @Test
    void each_step_begins_to_count_again() {
        parts(Part.MOST_PARTS);
        Part.of(message).stepBegins(message);
        parts(1);

        assertThat(Part.of(message).fault(message)).isNull();
    }

    @Test
    void the_ids_of_parts_are_not_all_kept_in_memory() throws Exception {
        isStreaming = true;
        WeakReference<Object> first = compared();
        for (int i = 0; i < 2_000; i++) {
            compared();
        }

        eventually(() -> {
            System.gc();
            assertThat(first.get()).isNull();
        });
    }

    private WeakReference<Object> compared() {
        Object id = new Object();
        assertThat(Part.isComparedAgain(part(), id)).isFalse();
        return new WeakReference<>(id);
    }
}
