package dev.caravan.camel.email;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.SmtpFailure;
import dev.caravan.camel.guard.OwnExchanges;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.lab.servers.mail.ScriptedSmtp;
import jakarta.mail.MessagingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a mail server gets from {@code email:}, and from Camel's {@code smtp:} for messages of an outbox. */
class SmtpTransportIT {
    private final CamelContext camel = new DefaultCamelContext();
    private final List<String> mails = new CopyOnWriteArrayList<>();
    private ScriptedSmtp smtp;

    @BeforeEach
    void start() throws Exception {
        smtp = new ScriptedSmtp(mail -> {
            mails.add(mail);
            return "250 taken";
        });
        camel.getCamelContextExtension().registerEndpointCallback(new LimitedMail(new OutboxComponent()));
        camel.start();
    }

    @AfterEach
    void stop() throws Exception {
        camel.close();
        smtp.close();
    }

    @ParameterizedTest
    @CsvSource({
        "user@exšmple.com, user@xn--exmple-ckb.com",
        "user@bücher.example, user@xn--bcher-kva.example",
        "USER@日本.example, USER@xn--wgv71a.example"
    })
    void a_domain_is_sent_in_ascii(String address, String sent) {
        assertThat(email(address)).isNull();
        assertThat(smtp(Map.of("To", "Böse <" + address + ">"))).isNull();

        assertThat(recipients()).containsExactly("RCPT TO:<" + sent + ">", "RCPT TO:<" + sent + ">");
        assertThat(mails)
                .hasSize(2)
                .allSatisfy(mail -> assertThat(mail).contains(sent).isASCII());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "šef@example.com",
                "日本@example.com",
                "šef", // a local user
                "a\u012Cb@example.com", // the low byte is a comma
                "a\u013Bb@example.com", // a semicolon
                "a\u010A\u010Db@example.com", // line breaks
                "a\u013Eb@example.com", // >
                "user@stra\u00DFe.example" // two domains, depending on the standard
            })
    void an_address_that_cannot_be_sent_unchanged_is_not_sent(String address) {
        for (Exception failure : List.of(email(address), smtp(Map.of("To", address)))) {
            assertThat(SmtpFailure.isPermanent(failure)).isTrue();
            assertThat(failure.toString() + failure.getCause()).doesNotContain("@example", "\u00DFe");
        }
        assertThat(smtp.commands()).noneMatch(command -> command.startsWith("MAIL") || command.startsWith("RCPT"));
    }

    @Test
    void a_mail_server_with_smtputf8_gets_the_address_in_utf8_and_other_mails_as_before() {
        smtp.answers("ehlo", "250-hello\r\n250 SMTPUTF8");

        assertThat(email("šef@bücher.example")).isNull();
        assertThat(smtp(Map.of("To", "šef@bücher.example"))).isNull();
        assertThat(email("user@bücher.example")).isNull();

        assertThat(recipients())
                .containsExactly(
                        "RCPT TO:<šef@xn--bcher-kva.example>",
                        "RCPT TO:<šef@xn--bcher-kva.example>",
                        "RCPT TO:<user@xn--bcher-kva.example>");
        assertThat(senders())
                .containsExactly(
                        "MAIL FROM:<shop@example.com> SMTPUTF8",
                        "MAIL FROM:<shop@example.com> SMTPUTF8",
                        "MAIL FROM:<shop@example.com>");
        assertThat(mails.get(0)).contains("To: šef@xn--bcher-kva.example\r\n");
        assertThat(mails.get(1)).contains("To: šef@xn--bcher-kva.example\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@example.com (home) evil@example.com", "a@example.com(home).evil.example"})
    void a_recipient_that_is_followed_by_another_text_is_sent_nothing(String address) {
        assertThat(email(address)).matches(SmtpFailure::isPermanent, "is permanent");

        assertThat(recipients()).isEmpty();
    }

    /** As UTF-8 it would be a question mark: another address. */
    @Test
    void half_a_character_is_sent_to_nobody_also_with_smtputf8() {
        smtp.answers("ehlo", "250-hello\r\n250 SMTPUTF8");

        assertThat(email("a\\ud800b@example.com")).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(smtp(Map.of("To", "a\uD800b@example.com"))).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(smtp(Map.of("To", "a@example.com", "From", "a\uDC00@example.com")))
                .matches(SmtpFailure::isPermanent, "is permanent");

        assertThat(recipients()).isEmpty();
    }

    @Test
    void the_sender_is_treated_like_a_recipient() {
        String from = "&from=RAW(Büro <shop@bücher.example>)";
        assertThat(send("email:a?to=RAW(a@example.com)&subject=s&text=t&server=RAW(" + server() + ")" + from, Map.of()))
                .isNull();
        assertThat(send(server() + "?to=a@example.com" + from, Map.of())).isNull();
        assertThat(smtp(Map.of("To", "a@example.com", "From", "shöp@example.com")))
                .matches(SmtpFailure::isPermanent);
        assertThat(smtp(Map.of("To", "a@example.com", "Reply-To", "shöp@example.com")))
                .matches(SmtpFailure::isPermanent);

        for (String wrong : List.of("shop@straße.example", "shop@example.com <other@example.com>")) {
            assertThatThrownBy(() -> camel.getEndpoint("email:a?to=RAW(a@example.com)&subject=s&text=t&from=RAW("
                                    + wrong + ")&server=RAW(" + server() + ")")
                            .createProducer())
                    .as("at the start, because it holds for all messages")
                    .hasMessageContaining("from must be one mail address");
        }

        assertThat(senders())
                .containsOnly("MAIL FROM:<shop@xn--bcher-kva.example>")
                .hasSize(2);
        assertThat(mails).allSatisfy(mail -> assertThat(mail)
                .contains("From: =?UTF-8?Q?B=C3=BCro?= <shop@xn--bcher-kva.example>")
                .isASCII());
    }

    @Test
    void a_value_does_not_become_a_line_of_its_own() {
        assertThat(smtp(Map.of("To", "a@example.com", "X-Name", "\u010D\u010ABcc: evil@example.com")))
                .isNull();
        assertThat(mails.get(0))
                .contains("X-Name: =?UTF-8?")
                .doesNotContain("\nBcc:")
                .isASCII();

        assertThat(smtp(Map.of("To", "a@example.com", "X-Name", "a\r\nBcc: evil@example.com\r\n\r\nevil")))
                .isNull();
        assertThat(mails.get(1)).contains("X-Name: a  Bcc: evil@example.com    evil\r\n");
        assertThat(recipients()).containsOnly("RCPT TO:<a@example.com>");
    }

    @Test
    void an_address_with_a_command_is_refused_for_good() {
        String address = "a@example.com>\r\nRCPT TO:<evil@example.com";
        assertThat(smtp(Map.of("To", address))).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(smtp(Map.of("To", "a@example.com", "From", address))).matches(SmtpFailure::isPermanent);
        assertThat(recipients()).isEmpty();
    }

    @Test
    void a_mail_that_was_not_complete_is_not_accepted() {
        smtp.answers("middle", "cut");

        assertThat(send(server() + "?subject=s&to=a@example.com", Map.of(), "large\n".repeat(4_000_000)))
                .isInstanceOf(MessagingException.class)
                .matches(SmtpFailure::isOfTheServer, "is of the server");
    }

    /** It would count as delivered although the server has read nothing of it. */
    @Test
    void answers_that_come_before_the_end_of_a_mail_do_not_accept_it() {
        smtp.answers("connect", "220 ready\r\n250 ok\r\n250 ok\r\n250 ok\r\n354 go on\r\n250 taken");

        assertThat(email("a@example.com")).matches(SmtpFailure::isOfTheServer, "is of the server");
        assertThat(smtp(Map.of("To", "a@example.com"))).matches(SmtpFailure::isOfTheServer, "is of the server");
        assertThat(mails).isEmpty();
    }

    /** The library knows 250 only, and the same mail would be sent again. */
    @ParameterizedTest
    @ValueSource(strings = {"200 ok", "251 will forward", "252 queued"})
    void each_code_that_begins_with_2_accepts_a_mail(String answer) {
        smtp.answers("end", answer);

        assertThat(email("a@example.com")).isNull();
        assertThat(smtp(Map.of("To", "a@example.com"))).isNull();
    }

    @Test
    void a_rejection_may_come_before_the_end_of_a_mail() {
        smtp.answers("data", "354 go on\r\n552 too large");

        assertThat(email("a@example.com")).matches(SmtpFailure::isPermanent, "is permanent");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<@relay.example:a@example.com>",
                "a\\@evil.example@example.com",
                "\"a> ORCPT=x <b\"@example.com",
                "a@\u04C0.example" // lower case since Unicode 5: another domain in IDNA 2008
            })
    void an_address_that_servers_read_differently_is_sent_to_nobody(String address) {
        assertThat(smtp(Map.of("To", address))).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(recipients()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\uFF20evil.example@example.com", "a\u037Eb@example.com", "a\uFF0Cb@example.com"})
    void a_character_that_becomes_a_separator_is_sent_to_nobody_also_with_smtputf8(String address) {
        smtp.answers("ehlo", "250-hello\r\n250 SMTPUTF8");

        assertThat(email(address)).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(smtp(Map.of("To", address))).matches(SmtpFailure::isPermanent, "is permanent");
        assertThat(recipients()).isEmpty();
    }

    private List<String> recipients() {
        return smtp.commands().stream().filter(line -> line.startsWith("RCPT")).toList();
    }

    private List<String> senders() {
        return smtp.commands().stream().filter(line -> line.startsWith("MAIL")).toList();
    }

    private String server() {
        return "smtp://localhost:" + smtp.port();
    }

    private Exception email(String to) {
        return send(
                "email:a?from=shop@example.com&to=RAW(${to})&subject=s&text=t&server=RAW(" + server() + ")",
                Map.of(),
                "{\"to\": \"" + to + "\"}");
    }

    private Exception smtp(Map<String, Object> headers) {
        Map<String, Object> all = new HashMap<>(headers);
        all.putIfAbsent("From", "shop@example.com");
        return send(server() + "?subject=s", all);
    }

    private Exception send(String uri, Map<String, Object> headers) {
        return send(uri, headers, "text");
    }

    private Exception send(String uri, Map<String, Object> headers, String body) {
        try (var template = camel.createProducerTemplate()) {
            return template.send(uri, exchange -> {
                        OwnExchanges.mark(exchange);
                        exchange.getMessage().setBody(body);
                        exchange.getMessage().setHeaders(new HashMap<>(headers));
                    })
                    .getException();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
