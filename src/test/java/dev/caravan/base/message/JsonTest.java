package dev.caravan.base.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.base.text.StoredJson;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private record Values(
            Instant at,
            @JsonProperty("lagSeconds") Duration lag,
            Optional<Instant> until,
            OptionalInt rate,
            OptionalLong rows) {}

    @JsonPropertyOrder({"name", "large"})
    private record Subject(@JsonIgnore String hidden, long id) {
        @JsonProperty
        String name() {
            return "subject " + hidden;
        }

        @JsonProperty("large")
        public boolean isLarge() {
            return id > 1;
        }

        public boolean isEmpty() {
            return false;
        }

        Subject unchanged() {
            return this;
        }
    }

    private record Answer(@JsonUnwrapped Subject subject, Optional<Subject> none, BigDecimal exact) {}

    @Test
    void a_time_is_a_text_a_duration_is_seconds_and_an_optional_value_is_the_value_or_null() {
        Instant at = Instant.parse("2026-01-02T03:04:05.678901Z");
        assertThat(Json.line(new Values(
                        at,
                        Duration.ofNanos(12_345_678_901L),
                        Optional.of(at),
                        OptionalInt.of(5),
                        OptionalLong.empty())))
                .isEqualTo("{\"at\":\"2026-01-02T03:04:05.678901Z\",\"lagSeconds\":12.345,"
                        + "\"until\":\"2026-01-02T03:04:05.678901Z\",\"rate\":5,\"rows\":null}");
    }

    @Test
    void a_record_is_its_components_and_its_annotated_methods_and_numbers_keep_their_digits() {
        Subject subject = new Subject("a", 9007199254740993L);
        BigDecimal exact = new BigDecimal("1234567890123456789.10");
        assertThat(Json.line(new Answer(subject, Optional.empty(), exact)))
                .isEqualTo("{\"name\":\"subject a\",\"large\":true,\"id\":9007199254740993,\"none\":null,"
                        + "\"exact\":1234567890123456789.10}");
        assertThat(Json.tree(subject).get("id").longValue()).isEqualTo(9007199254740993L);
        assertThat(Json.names(Answer.class)).containsExactly("name", "large", "id", "none", "exact");
    }

    /** A column of type json stores it. Other exceptions than for what is no JSON would be retried, or end with status 500. */
    @ParameterizedTest
    @ValueSource(strings = {"1e99999999999", "{\"a\":[-1.5E-99999999999]}"})
    void a_number_that_java_does_not_have_is_refused_as_what_is_no_json(String json) {
        assertThatThrownBy(() -> StoredJson.mapper().build().readTree(json))
                .isInstanceOf(JsonProcessingException.class);
        assertThatThrownBy(() -> StoredJson.payloadMapper().build().readTree(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(JsonProcessingException.class);
    }
}
