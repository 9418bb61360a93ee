package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.lab.servers.mail.MailServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code email-outbox}: taken over while the poller sends and the application writes. */
@Tag("long")
class EmailOutboxIT {
    private static final long POLL_NANOS = 10_000_000;

    @TempDir
    private Path workspace;

    private final List<String> sentByPoller = new CopyOnWriteArrayList<>();
    private final List<String> sentByRelay = new CopyOnWriteArrayList<>();
    private final AtomicBoolean writerEnded = new AtomicBoolean();
    private final AtomicBoolean pollerEnded = new AtomicBoolean();
    private final ExecutorService application = Executors.newCachedThreadPool();

    @Test
    void each_mail_is_sent_once_and_recorded_together_with_what_follows() throws Exception {
        try (var mails = MailServer.start(mail -> sentByRelay.add(mail.subject()));
                var crm = new TestHttp(204);
                var example = new Example("email-outbox", workspace)) {
            example.given("SMTP_URL", mails.url());
            example.given("CRM_URL", crm.url());
            example.execute(Path.of("examples/email-outbox/schema.sql"));
            Future<Void> poller = application.submit(() -> poll(example));
            Future<Void> writer = application.submit(() -> write(example));
            assertThat(example.follow("## Prepare")).contains("No problems found");
            eventually(() -> assertThat(sentByPoller).hasSizeGreaterThan(20));

            assertThat(example.follow("### 1. Let the poller finish")).contains("0 rows are pending");
            pollerEnded.set(true);
            poller.get();
            example.follow("### 2. Switch");
            eventually(() -> assertThat(sentByRelay).hasSizeGreaterThan(20));
            writerEnded.set(true);
            writer.get();

            long all = example.number("select count(*) from email_outbox");
            eventually(
                    () -> assertThat(example.number("select count(*) from email_outbox where status = 'sent' and sent"))
                            .isEqualTo(all));
            eventually(() -> assertThat(crm.bodies()).hasSize(sentByRelay.size()));
            assertThat(sentByPoller.size() + sentByRelay.size()).isEqualTo((int) all);
            assertThat(sentByRelay).doesNotHaveDuplicates().doesNotContainAnyElementsOf(sentByPoller);
            assertThat(example.follow("## What is better now")).contains("email-follow-up");
        }
    }

    /** Not faster than mails are sent, so that only a few wait. */
    private Void write(Example example) throws Exception {
        for (int n = 1; !writerEnded.get(); n++) {
            int written = n;
            eventually(() -> assertThat(written - sentByPoller.size() - sentByRelay.size())
                    .isLessThan(100));
            example.execute("insert into email_outbox (recipient, subject, body) values ('a" + n
                    + "@example.com', 'mail " + n + "', 'Hello')");
        }
        return null;
    }

    /** The old poller. The CRM that it notified is not checked. */
    private Void poll(Example example) throws Exception {
        while (!pollerEnded.get()) {
            LockSupport.parkNanos(POLL_NANOS);
            List<Long> queued = example.jdbc()
                    .queryForList(
                            "update email_outbox set status = 'queued' where id in (select id from email_outbox"
                                    + " where status = 'pending' order by id limit 50) returning id",
                            Long.class);
            for (Long id : queued) {
                sentByPoller.add("mail " + id);
                example.execute(
                        "update email_outbox set status = 'sent', sent = true, sent_at = now() where id = " + id);
            }
        }
        return null;
    }
}
