package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.caravan.base.clock.Clock;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SealedTest {
    private final Sealed sealed = sealed("session");
    private final String text =
            sealed.seal(JsonNodeFactory.instance.objectNode().put("name", "Ann"), Duration.ofHours(1));

    private static Sealed sealed(String purpose) {
        return new Sealed("a secret of the relays, long enough", purpose, Clock.SYSTEM);
    }

    @Test
    void any_changed_or_missing_character_is_refused_without_an_exception() {
        assertThat(sealed.open(text))
                .hasValueSatisfying(
                        fields -> assertThat(fields.path("name").asText()).isEqualTo("Ann"));
        assertThat(IntStream.range(0, text.length()).boxed().flatMap(this::changedAt))
                .allSatisfy(changed -> assertThat(sealed.open(changed)).isEmpty());
    }

    private Stream<String> changedAt(int place) {
        String before = text.substring(0, place);
        String after = text.substring(place + 1);
        char other = text.charAt(place) == 'A' ? 'z' : 'A';
        return Stream.of(before + other + after, before + '.' + after, before + after, before, after);
    }

    @Test
    void a_text_for_another_purpose_is_refused() {
        assertThat(sealed("sign-in").open(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "....", "a.b.c.d.e", "%%%", "eyJhbGciOjEsImVuYyI6Mn0.a.b.c.d"})
    void a_text_that_was_never_sealed_is_refused(String text) {
        assertThat(sealed.open(text)).isEmpty();
    }
}
