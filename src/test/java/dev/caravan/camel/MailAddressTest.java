package dev.caravan.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.mail.internet.AddressException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class MailAddressTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "guest@example.com|guest@example.com",
                " guest+1@mail.example.com |guest+1@mail.example.com",
                "Guest One <guest@example.com>|guest@example.com",
                "Guest (One) More <guest@example.com>|guest@example.com",
                "guest@example.com (Guest One)|guest@example.com",
                "o'neil@example.com|o'neil@example.com",
                "\"One, Guest\" <guest@example.com>|guest@example.com",
                "\"other@example.com\" <guest@example.com>|guest@example.com",
                "Guest (other@example.com) <guest@example.com>|guest@example.com",
                "guest@Mail.B\u00DCCHER.Example|guest@Mail.xn--bcher-kva.Example",
            })
    void one_address_is_taken_without_its_name(String text, String address) throws Exception {
        assertThat(MailAddress.one(text)).isEqualTo(address);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                " ",
                "guest@example.com,other@example.com",
                "guest@example.com, other@example.com",
                "guest@example.com;other@example.com",
                "guest@example.com other@example.com",
                "guests: guest@example.com, other@example.com;",
                "guests: guest@example.com;",
                "guest@example.com\r\nBcc: other@example.com",
                "guest@example.com\nother@example.com",
                "guest@example.com\u0000",
                "guest",
                "guest@",
                "@example.com",
                "guest@exam ple.com",
                "guest@@example.com",
                "<guest@example.com>,<other@example.com>",
                "\"guest@example.com,other\"@example.com",
                "[\"guest@example.com\",\"other@example.com\"]",
                "Guest <guest@example.com> <other@example.com>",
                "guest@example.com <other@example.com>",
                "Guest \"One\" guest@example.com <other@example.com>",
                "<guest@example.com> other@example.com",
                "< guest@example.com> other@example.com",
                "guest@example.com (home) other@example.com",
                "guest@example(home).com",
                "guest@example.com(home).other.example", // to RFC 5322 this is the end of the domain
                "guest@example.com (home), other@example.com",
                "<@other@example.com:guest@example.com>", // a route
                "<@relay.example:guest@example.com>",
                "guest\\@other.example@example.com",
                "\"guest@other.example\"@example.com",
                "\"guest> NOTIFY=NEVER <other\"@example.com",
                "gue\uD800st@example.com", // half a character, which would be sent as a question mark
                "guest\uDC00@example.com",
                "guest@exam\uD800ple.com",
                "guest@\u04C0.example", // lower case since Unicode 5: another domain in IDNA 2008
                "guest@\u10A0.example",
                "guest@\u2132.example",
            })
    void anything_else_is_refused_without_quoting_it(String text) {
        assertThatThrownBy(() -> MailAddress.one(text))
                .isInstanceOf(AddressException.class)
                .hasNoCause()
                .satisfies(error -> assertThat(error.toString()).doesNotContain("guest@", "other@"));
    }
}
