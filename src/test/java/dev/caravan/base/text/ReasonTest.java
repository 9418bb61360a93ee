package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.FileSystemException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.HttpHostConnectException;
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
        assertThat(Reason.of(new IOException("alice@example.com"))).isEqualTo("IOException");
        assertThat(Reason.of(new FileSystemException("alice@example.com", null, "No space left on device")))
                .isEqualTo("FileSystemException (No space left on device)");
        assertThat(Reason.of(new FileSystemException("alice@example.com"))).isEqualTo("FileSystemException");
        assertThat(Reason.of(new SSLHandshakeException("a")
                        .initCause(new CertificateException("No subject alternative DNS name matching b found."))))
                .isEqualTo("CertificateException (No subject alternative DNS name matching b found.)");
        assertThat(Reason.of(new IOException("Broken pipe"))).isEqualTo("IOException (Broken pipe)");
        assertThat(Reason.of(new HttpHostConnectException("Connect to http://a:80 failed: Connection refused")))
                .isEqualTo("HttpHostConnectException (Connect to http://a:80 failed: Connection refused)");
        for (String state : List.of("22P02", "23505", "45000", "P0001", "42601")) {
            assertThat(Reason.of(new SQLException("alice@example.com is refused", state)))
                    .isEqualTo("SQLException (SQLSTATE " + state + ")");
        }
        assertThat(Reason.of(new SQLException("Invalid column name 'alice@example.com'", "S0001", 207)))
                .isEqualTo("SQLException (SQLSTATE S0001, error 207)");
        for (String state : List.of("42P01", "42P17", "42804")) {
            assertThat(Reason.of(new SQLException("relation \"a\" does not exist", state)))
                    .isEqualTo("SQLException (relation \"a\" does not exist)");
        }
        assertThat(Reason.of(new SQLException("cannot execute UPDATE in a read-only transaction", "25006")))
                .isEqualTo("SQLException (cannot execute UPDATE in a read-only transaction)");
        assertThat(Reason.of(new SQLException("Access denied for user 'shop'@'localhost'", "28000")))
                .isEqualTo("SQLException (Access denied for user 'shop'@'localhost')");
    }

    @Test
    void what_the_message_contains_is_removed_before_the_text_is_cut() {
        String secret = "a".repeat(600);

        assertThat(Reason.ofStep(
                        new SQLException("canceled for " + secret, "57014"),
                        text -> text.replace(secret, "•••"),
                        "sql:select 1",
                        false))
                .isEqualTo("SQLException (canceled for •••)");
    }
}
