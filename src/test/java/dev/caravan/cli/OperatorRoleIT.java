package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.docs.DocsPage;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.job.Jobs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of a person whose role has exactly the grants of docs/configuration.md. */
class OperatorRoleIT extends CommandFixture {
    private String role;

    @BeforeEach
    void createRole() throws Exception {
        database.insert(20);
        tables.deadMany("sms", 5);
        database.execute(
                "update outbox_dead_letter dead set message_id = outbox.message_id from outbox where outbox.id = dead.id;"
                        + " insert into outbox_subscription (name, position, delivered) values ('sms', 20, 20);"
                        + " insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id)"
                        + " values (now() + interval '1 second', 'sms', 15, 0, 0, 0);"
                        + " insert into outbox_intake (intake, source) values ('shop', 'shopDb.outbox')");
        role = database.role("operator");
        database.execute(DocsPage.read("docs/configuration.md")
                .blocksBelow("## Database roles")
                .get(1)
                .content()
                .replace(" to operator;", " to " + role + ";"));
        config = CommandRun.config(folder, database.url(), role, "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dead-letters retry --all --dry-run",
                "dead-letters retry --all --yes",
                "dead-letters retry sms 1",
                "dead-letters discard --all --yes --reason obsolete",
                "dead-letters discard sms 1 --reason obsolete",
                "dead-letters list",
                "dead-letters groups",
                "dead-letters show sms 1",
                "subscriptions pause sms",
                "subscriptions create mail",
                "subscriptions lanes sms 2",
                "subscriptions replay sms --type * --yes",
                "subscriptions replay sms --type * --forget --yes",
                "subscriptions delete sms --yes",
                "intake pause shop",
                "intake list",
                "intake remove shop --yes",
                "capture list",
                "partitions list",
                "outboxes list",
                "audit list",
                "jobs list",
                "status",
                "why 3",
                "find 3"
            })
    void a_command_needs_no_other_grant(String words) {
        command(words.split(" ")).assertDone();
    }

    @Test
    void what_was_changed_is_changed_back() throws Exception {
        command("dead-letters", "discard", "sms", "1", "--reason", "obsolete").assertDone();
        command("dead-letters", "discarded").assertDone();
        command("dead-letters", "undo-discard", "sms", "1").assertDone();
        command("dead-letters", "retry", "--all", "--yes").assertDone();
        command("retries", "list").assertDone();
        command("retries", "show", "sms", "1").assertDone();
        command("retries", "retry", "sms", "1").assertDone();
        command("retries", "retry", "--all", "--yes").assertDone();
        command("retries", "give-up", "sms", "1", "--reason", "wrong").assertDone();
        command("retries", "give-up", "--all", "--yes", "--reason", "wrong").assertDone();
        String group = command("dead-letters", "groups", "--output", "json")
                .json()
                .findValue("group")
                .asText();
        command("dead-letters", "mark", "sms", group, "--known", "--note", "OPS-7")
                .assertDone();
        command("subscriptions", "pause", "sms").assertDone();
        command("subscriptions", "resume", "sms").assertDone();
        command("intake", "pause", "shop").assertDone();
        command("intake", "resume", "shop").assertDone();
    }

    @Test
    void a_retry_of_all_beside_a_relay_is_followed_resumed_paused_and_cancelled() throws Exception {
        tables.deadMany("mail", 40);
        database.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('mail', 20, 'r1', now() + interval '1 hour');"
                + " create function fail() returns trigger language plpgsql as"
                + " 'begin new.attempts = 1; return new; end';"
                + " create trigger fail before insert on outbox_retry for each row execute function fail()");

        command("dead-letters", "retry", "--all", "--subscription", "mail", "--rate", "50/s", "--yes")
                .assertFailed("Started bulk retry 1 of mail.");
        command("bulk-retries", "list").assertDone("stopped");
        command("bulk-retries", "resume", "1").assertDone();
        command("bulk-retries", "pause", "1").assertDone();
        command("bulk-retries", "cancel", "1").assertDone();
    }

    @Test
    void a_job_is_cancelled() throws Exception {
        new Jobs(database.dataSource())
                .start(
                        new Jobs.Task("lanes", Optional.of("sms"), Map.of("lanes", 2)),
                        OptionalInt.empty(),
                        Optional.empty(),
                        OptionalLong.empty(),
                        FailureTables.anna());

        command("jobs", "cancel", "1", "--yes").assertDone("is cancelled");
    }

    /** What the owner does: a refusal says so. */
    @Test
    void captures_and_partitions_are_only_examined() throws Exception {
        String owner = CommandRun.config(Files.createDirectory(folder.resolve("owner")), database);
        Path file = Files.writeString(folder.resolve("bookings.yaml"), CaptureFixture.ALL_EVENTS);
        database.execute(CaptureFixture.TABLE + "; truncate outbox_dead_letter, outbox_subscription, outbox_history;"
                + " update outbox set created_at = now() - interval '10 days';"
                + " insert into outbox_subscription (name, position) values ('sms', 1000000); grant usage on schema shop to "
                + role);
        CommandRun.of("schema", "apply", "--config", owner).assertDone();
        database.execute(
                "select setval('outbox_id_seq', 1000000); insert into outbox (aggregate_type, aggregate_id, type)"
                        + " values ('order', '1', 'order.created')");
        CommandRun.of("capture", "apply", file.toString(), "--config", owner).assertDone();

        command("partitions", "prune", "--dry-run").assertDone("Would prune 1 partition");
        command("partitions", "prune", "--yes").assertFailed("permission denied", "use another role");
        command("capture", "check", file.toString()).assertDone("No problems found.");
        command("capture", "remove", "bookings", "--yes").assertFailed("must be owner", "use another role");
        command("capture", "backfill", file.toString()).assertFailed("as the owner of the outbox");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(21);
    }

    /** What the API names to a relay whose role lacks a grant. */
    @Test
    void the_page_has_all_grants_that_are_reported_as_missing() throws Exception {
        try (Connection connection =
                database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            assertThat(Sql.file("operate/missing_grants").query(connection, row -> row.getString("statement")))
                    .isEmpty();
        }
    }

    @Test
    void without_the_right_to_read_what_was_delivered_a_retry_leaves_that_out() throws Exception {
        assertThat(command("dead-letters", "retry", "--all", "--dry-run").err())
                .contains("sms has delivered 5 messages");
        database.execute("revoke select on outbox_history from " + role);

        CommandRun run = command("dead-letters", "retry", "--all", "--dry-run").assertDone();

        assertThat(run.err()).contains("not shown, because this role may not read outbox_history");
        command("dead-letters", "retry", "--all", "--yes").assertDone();
        assertThat(tables.count("outbox_dead_letter")).isZero();
    }
}
