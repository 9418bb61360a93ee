package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ReasonTest {
    @Test
    void an_exception_of_an_anonymous_class_has_the_name_of_the_class_around_it() {
        assertThat(Reason.of(new IllegalStateException("alice@example.com is unknown") {
                    private static final long serialVersionUID = 1L;
                }))
                .matches("ReasonTest\\$\\d+");
    }

    @Test
    void the_text_of_an_exception_is_shown_only_if_it_cannot_contain_a_message() {
        assertThat(Reason.of(new IllegalStateException("alice@example.com is unknown")))
                .isEqualTo("IllegalStateException");
        assertThat(Reason.of(new RuntimeException(new ConnectException("Connection refused"))))
                .isEqualTo("ConnectException (Connection refused)");
        assertThat(Reason.of(new SQLException("alice@example.com is no number", "22P02")))
                .isEqualTo("SQLException");
        assertThat(Reason.of(new SQLException("cannot execute UPDATE in a read-only transaction", "25006")))
                .isEqualTo("SQLException (cannot execute UPDATE in a read-only transaction)");
        assertThat(Reason.of(new SQLException("Access denied for user 'shop'@'localhost'", "28000")))
                .isEqualTo("SQLException (Access denied for user 'shop'@'localhost')");
    }
}
