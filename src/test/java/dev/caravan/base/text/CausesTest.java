package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private final IOException root = new IOException("disk full");
    private final UncheckedIOException middle = new UncheckedIOException(root);
    private final RuntimeException outer = new IllegalStateException(middle);

    @Test
    void the_chain_goes_from_the_exception_to_its_root_cause() {
        assertThat(Causes.of(outer)).containsExactly(outer, middle, root);
        assertThat(Causes.root(outer)).isSameAs(root);
    }

    @Test
    void an_exception_without_a_cause_is_its_own_root() {
        assertThat(Causes.root(root)).isSameAs(root);
    }

    @Test
    void the_first_exception_of_a_type_is_found() {
        assertThat(Causes.first(RuntimeException.class, middle)).containsSame(middle);
        assertThat(Causes.first(InterruptedException.class, outer)).isEmpty();
    }

    @Test
    void a_chain_that_contains_itself_ends() {
        Exception first = new Exception();
        Exception second = new Exception(first);
        first.initCause(second);

        assertThat(Causes.first(IOException.class, first)).isEmpty();
        assertThat(Causes.root(first)).isIn(first, second);
    }
}
