package dev.caravan.base.message;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class KeyTest {
    @Property
    void each_key_has_its_own_text(
            @ForAll @NotEmpty @Chars({'a', '/', '%', '2', '5', 'F', 'f'}) String type,
            @ForAll @Chars({'b', '/', '%', '2', 'F'}) String id) {
        Key key = new Key(type, id);

        assertThat(Key.parse(key.toString())).contains(key);
    }

    @Test
    void a_usual_key_is_written_as_it_is_in_the_row() {
        assertThat(new Key("acme.order", "100% a/b")).hasToString("acme.order/100% a/b");
        assertThat(Key.parse("acme%2forder/7")).contains(new Key("acme/order", "7"));
        assertThat(Key.parse("order")).isEmpty();
        assertThat(Key.parse("/7")).isEmpty();
    }
}
