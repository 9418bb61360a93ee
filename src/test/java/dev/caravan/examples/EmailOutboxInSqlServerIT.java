package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.docs.DocsPage;
import dev.caravan.lab.servers.mail.MailServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The example {@code email-outbox/sqlserver}, in an H2 that has the types and functions of SQL Server. */
class EmailOutboxInSqlServerIT {
    private static final String URL = "jdbc:h2:mem:emails;MODE=MSSQLServer;DATABASE_TO_UPPER=false;"
            + "CASE_INSENSITIVE_IDENTIFIERS=true;DB_CLOSE_DELAY=-1";

    @TempDir
    private Path workspace;

    private final List<String> received = new CopyOnWriteArrayList<>();

    @Test
    void a_mail_is_marked_as_sent_when_it_was_sent_and_has_its_error_when_it_is_dead() throws Exception {
        JdbcTemplate crm = new JdbcTemplate(new DriverManagerDataSource(URL, "caravan", "change-me"));
        crm.execute(Files.readString(Path.of("examples/email-outbox/sqlserver/schema.sql")));
        try (var mails = MailServer.start(mail -> received.add(mail.subject()));
                var example = new Example("email-outbox/sqlserver", workspace)) {
            example.given("CRM_DB_URL", URL);
            example.given("SMTP_URL", mails.url());
            add(crm, "anna@example.com", "sent by the poller");
            crm.update("update EmailOutbox set Sent = 1, SentAt = current_timestamp");
            add(crm, "bert@example.com", "pending");
            crm.execute(DocsPage.read("examples/email-outbox/sqlserver/README.md")
                    .blocks("sql")
                    .get(0));

            Files.createDirectory(workspace.resolve("my-relay"));
            example.caravan("schema", "apply"); // the Postgres of the tests stands in for the embedded one
            assertThat(example.follow("## Prepare")).contains("emails");
            assertThat(example.follow("## Switch")).contains("No problems found");
            add(crm, "clara@example.com", "Grüße");
            add(crm, "nobody", "cannot be sent");

            eventually(() -> assertThat(received).containsExactlyInAnyOrder("pending", "Grüße"));
            eventually(() -> assertThat(crm.queryForList(
                            "select Subject from EmailOutbox where Sent = 1 and SentAt is not null", String.class))
                    .containsExactlyInAnyOrder("sent by the poller", "pending", "Grüße"));
            eventually(() -> assertThat(crm.queryForMap(
                            "select Sent, HandedOver, Attempts, Error from EmailOutbox where Recipient = 'nobody'"))
                    .containsEntry("Sent", false)
                    .containsEntry("Attempts", 1)
                    .allSatisfy((column, value) -> assertThat(value).as(column).isNotNull()));
            assertThat(example.follow("## What is better now")).contains("emails", "email");
        } finally {
            crm.execute("shutdown");
        }
    }

    private static void add(JdbcTemplate crm, String recipient, String subject) {
        crm.update(
                "insert into EmailOutbox (Id, Recipient, Subject, Body) values (newid(), ?, ?, 'Hello')",
                recipient,
                subject);
    }
}
