package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.deadletter.FailureTables;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadLettersCommandTest {
    private static final String PAYLOAD = "'{ \"phone\" : \"secret\",\n \"n\" : 1.50 }'";

    @TempDir
    Path folder;

    private FailureTables tables;
    private String config;

    @BeforeEach
    void start() throws Exception {
        tables = new FailureTables();
        config = CommandRun.config(folder, tables.database);
    }

    @Test
    void the_list_is_short_and_shows_no_payload() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "error_text", "E'answered\\n400 \\x1b[31mred'");
        tables.dead("email", 8);

        CommandRun run = run("list");

        assertThat(run.exit()).isZero();
        assertThat(run.out()).doesNotContain("secret", "\u001b");
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title).isEqualTo("SUBSCRIPTION ID KEY TYPE ATTEMPTS FAILED ERROR"),
                        first -> assertThat(first).startsWith("email 8 order/8 order.created 3 "),
                        second ->
                                assertThat(second).endsWith(" ago HttpOperationFailedException: answered 400 [31mred"));
    }

    @Test
    void a_list_that_is_cut_says_so() throws Exception {
        tables.deadMany("sms", 3);

        assertThat(run("list", "--limit", "2").out())
                .contains("More dead letters match")
                .doesNotContain("broken pipe 3");
        assertThat(run("list", "--limit", "3").out()).doesNotContain("More dead letters match");
    }

    @Test
    void a_group_of_errors_is_listed_and_marked() throws Exception {
        tables.dead("sms", 7, "error_text", "'order 7 is not open'");
        tables.dead("sms", 8, "error_text", "'order 8 is not open'");
        String group =
                json(run("groups", "--output", "json")).get(0).get("group").asText();

        CommandRun marked = run("mark", "sms", group, "--known", "--note", "OPS-7", "--who", "anna");

        assertThat(marked.exit()).isZero();
        assertThat(run("groups").out().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith(group + " sms 2 ")
                        .endsWith("known HttpOperationFailedException: order # is not open OPS-7"));
        assertThat(run("list", "--group", group).out().lines()).hasSize(3);
        assertThat(run("mark", "sms", "0000000000000000", "--known").exit()).isEqualTo(1);
        assertThat(run("mark", "sms", group).exit()).isEqualTo(2);
        assertThat(run("list", "--group", "7").err()).contains("'7' is not a group");
    }

    @Test
    void the_list_as_json_has_whole_facts() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);

        JsonNode letter =
                json(run("list", "--output", "json", "--subscription", "sms")).get(0);

        assertThat(letter.get("id").asLong()).isEqualTo(7);
        assertThat(letter.get("lastFailedAt").asText()).isEqualTo("2026-01-01T12:00:07Z");
        assertThat(letter.has("payload")).isFalse();
    }

    @Test
    void nothing_that_matches_is_no_failure_and_a_mistyped_subscription_is_told() throws Exception {
        tables.database.execute("insert into outbox_subscription (name, position) values ('booking-sms', 0)");

        assertThat(run("list").out()).startsWith("No dead letters.");
        CommandRun run = run("list", "--subscription", "booking-smd");
        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("No dead letter matches.", "did you mean booking-sms?");
    }

    @Test
    void a_wrong_time_or_key_is_wrong_use() {
        assertThat(run("list", "--since", "yesterday").exit()).isEqualTo(2);
        assertThat(run("list", "--since", "yesterday").err()).contains("'yesterday' is not a time", "2h");
        assertThat(run("list", "--key", "order").err()).contains("TYPE/ID");
        assertThat(run("list", "--limit", "0").exit()).isEqualTo(2);
    }

    @Test
    void show_hides_payload_and_header_values_unless_asked() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"token\":\"hidden\"}'");

        String hidden = run("show", "sms", "7").out();
        assertThat(hidden)
                .contains("Dead letter sms 7", "token", "at somewhere")
                .doesNotContain("secret", "hidden");
        assertThat(run("show", "sms", "7", "--payload").out()).contains("{ \"phone\" : \"secret\"", "hidden");
        assertThat(run("show", "sms", "7", "--output", "json").out()).doesNotContain("secret", "hidden");
        JsonNode shown =
                json(run("show", "sms", "7", "--output", "json", "--payload")).get(0);
        assertThat(shown.at("/payload/phone").asText()).isEqualTo("secret");
    }

    @Test
    void show_begins_with_the_answer_of_the_destination_and_lists_the_attempts() throws Exception {
        tables.dead(
                "sms",
                7,
                "answer",
                "'{\"detail\": \"unknown\\ncountry\"}'",
                "attempt_relay",
                "'relay-1'",
                "attempt_millis",
                "230",
                "earlier_attempts",
                "outbox_earlier_attempts(null, '2026-01-01Z', 1, 'relay-2', 30000, 'java.io.IOException', 'timeout', null)");

        assertThat(run("show", "sms", "7").out().lines().map(String::strip).toList())
                .startsWith("Dead letter sms 7", "answer        {\"detail\": \"unknown\\ncountry\"}")
                .containsSubsequence(
                        "attempts      3",
                        "2026-01-01T00:00:00Z attempt 1 by relay-2 failed after 30s: timeout",
                        "(1 attempt not stored)",
                        "2026-01-01T12:00:07Z attempt 3 by relay-1 failed after 230ms: {\"detail\": \"unknown\\ncountry\"}");
        JsonNode shown = json(run("show", "sms", "7", "--output", "json")).get(0);
        assertThat(shown.get("answer").asText()).contains("unknown");
        assertThat(shown.at("/failures/1/durationMillis").asInt()).isEqualTo(230);
        assertThat(run("list", "--error", "COUNTRY").out()).contains("sms");
    }

    @Test
    void a_message_id_finds_all_subscriptions_where_it_died() throws Exception {
        tables.dead("sms", 7);
        tables.dead("email", 7);
        String messageId = tables.database.text("select md5('7')::uuid");

        assertThat(run("show", messageId).out()).contains("Dead letter email 7", "Dead letter sms 7");
    }

    @Test
    void the_history_of_a_message_is_shown_with_it() throws Exception {
        tables.dead("sms", 7);
        run("retry", "sms", "7", "--who", "anna", "--reason", "provider is back");
        CommandRun gone = run("show", "sms", "7");
        assertThat(gone.exit()).isEqualTo(1);
        assertThat(gone.err()).contains("sms 7 is not a dead letter; last change: retry by anna");

        tables.database.execute("delete from outbox_retry");
        tables.dead("sms", 7);
        assertThat(run("show", "sms", "7").out()).contains("retry by anna: provider is back");
    }

    @Test
    void named_dead_letters_are_retried_without_a_question() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        tables.dead("email", 7);

        CommandRun run = run("retry", "sms", "7", "8", "7");

        assertThat(run.exit()).isZero();
        assertThat(run.out()).startsWith("Retried 2 dead letters.");
        assertThat(tables.count("outbox_retry where subscription = 'sms'")).isEqualTo(2);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.database.text("select distinct who from outbox_audit"))
                .isEqualTo(System.getProperty("user.name"));
    }

    @Test
    void a_named_one_that_does_not_exist_fails_and_the_others_are_done() throws Exception {
        tables.dead("sms", 7);

        CommandRun run = run("retry", "sms", "7", "99", "--output", "json");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("sms 99 is not a dead letter.");
        assertThat(json(run).get("retried").asInt()).isEqualTo(1);
    }

    @Test
    void names_that_are_none_are_wrong_use() {
        assertThat(run("retry").exit()).isEqualTo(2);
        assertThat(run("retry", "sms").exit()).isEqualTo(2);
        assertThat(run("retry", "sms", "x7").err()).contains("'x7' is neither an id");
        assertThat(run("retry", "sms", "7", "--all").exit()).isEqualTo(2);
        assertThat(run("retry", "sms", "7", "--error", "x").exit()).isEqualTo(2);
    }

    @Test
    void many_are_counted_first_and_need_a_yes() throws Exception {
        tables.deadMany("sms", 1_234);
        tables.deadMany("email", 1);

        CommandRun refused = run("retry", "--all");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("Retry 1,235 dead letters (email: 1, sms: 1,234)?", "--yes");
        assertThat(run("retry", "--all", "--dry-run").out()).contains("Would retry 1,235 dead letters");
        assertThat(tables.count("outbox_retry")).isZero();

        CommandRun done = run("retry", "--all", "--subscription", "sms", "--yes");
        assertThat(done.exit()).isZero();
        assertThat(done.out()).startsWith("Retried 1,234 dead letters.");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.count("outbox_retry where not blocked")).isEqualTo(124);
    }

    @Test
    void a_failure_in_the_middle_leaves_whole_chunks_and_says_how_many() throws Exception {
        tables.deadMany("sms", 1_600);
        tables.database.execute("alter table outbox_audit add constraint no_1500 check (message <> 1500)");

        CommandRun run = run("retry", "--all", "--yes");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("Failed after 1,000 dead letters were retried", "no_1500");
        assertThat(tables.count("outbox_retry")).isEqualTo(1_000);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(600);
    }

    @Test
    void where_a_relay_works_the_subscription_a_retry_of_all_stops_when_they_fail_again() throws Exception {
        tables.deadMany("sms", 40);
        tables.database.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 100, 'r1', now() + interval '1 hour');"
                + " create function fail() returns trigger language plpgsql as"
                + " 'begin new.attempts = 1; return new; end';"
                + " create trigger fail before insert on outbox_retry for each row execute function fail()");

        CommandRun run = run("retry", "--all", "--rate", "50/s", "--yes");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("Started bulk retry 1 of sms.", ", last failed ", "broken pipe");
        assertThat(run.out())
                .contains(
                        "is stopped: 5 dead letters retried, 0 delivered, 5 failed again, ",
                        " 35 left. It stopped because 5 of the first 5 failed again",
                        "To continue: ./caravan bulk-retries resume 1");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(35);
        CommandRun list = CommandRun.of("bulk-retries", "list", "--config", config);
        assertThat(list.out()).contains("stopped", "5 of the first 5 failed again");
        assertThat(CommandRun.of("bulk-retries", "cancel", "1", "--config", config)
                        .out())
                .contains("is cancelled");
        assertThat(CommandRun.of("bulk-retries", "resume", "1", "--config", config)
                        .exit())
                .isEqualTo(1);
    }

    @Test
    void only_what_the_filters_select_is_discarded() throws Exception {
        tables.dead("sms", 7, "error_text", "'no such number'");
        tables.dead("sms", 8);

        CommandRun run =
                run("discard", "--all", "--error", "SUCH number", "--yes", "--reason", "not ours", "--output", "json");

        assertThat(run.exit()).isZero();
        assertThat(json(run).get("discarded").asInt()).isEqualTo(1);
        assertThat(tables.database.number("select id from outbox_dead_letter")).isEqualTo(8);
        assertThat(tables.database.text("select reason from outbox_audit")).isEqualTo("not ours");
    }

    @Test
    void a_discard_is_undone_with_the_id_that_it_prints() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        CommandRun discarded =
                run("discard", "--all", "--yes", "--reason", "not ours", "--who", "anna", "--output", "json");
        String id = json(discarded).get("discard").asText();

        CommandRun list = run("discarded", "--discard", id);
        CommandRun undone = run("undo-discard", "--all", "--discard", id, "--yes", "--who", "ben");

        assertThat(list.out()).contains("sms", "order/7", "anna", "not ours", id);
        assertThat(undone.out()).contains("Restored 2 discarded dead letters.");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(2);
        assertThat(run("discarded").out()).contains("No discarded dead letters are kept.");
        assertThat(run("discard", "sms", "7", "--reason", "no").out())
                .contains("Kept for 7d. To undo: ./caravan dead-letters undo-discard --all --discard ");
        assertThat(run("undo-discard", "sms", "7").exit()).isZero();
        assertThat(run("undo-discard", "sms", "7").err())
                .contains("No discarded dead letter sms 7 is kept; last change");
    }

    @Test
    void a_discard_needs_a_reason() throws Exception {
        tables.dead("sms", 7);

        CommandRun run = run("discard", "sms", "7");

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("--reason");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void nothing_to_retry_is_no_failure() {
        CommandRun run = run("retry", "--all", "--yes");

        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("No dead letters. Nothing was changed.");
    }

    @Test
    void an_edit_shows_what_it_changes_and_goes_byte_for_byte() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"a\":1}'");
        Path edit = folder.resolve("edit.json");
        Files.writeString(edit, "{ \"payload\": { \"phone\" : \"grüße\\u0041\", \"n\":1.50 } }");

        assertThat(run("retry", "sms", "7", "--edit", edit.toString(), "--dry-run")
                        .err())
                .contains("payload.phone: \"secret\" -> \"grüßeA\"")
                .doesNotContain("payload.n", "headers");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);

        CommandRun run = run("retry", "sms", "7", "--edit", edit.toString());
        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("Retried dead letter sms 7 with the edit. The audit stores the original.");
        assertThat(tables.database.text("select payload || ' ' || headers || ' ' || edited from outbox_retry"))
                .isEqualTo("{ \"phone\" : \"grüße\\u0041\", \"n\":1.50 } {\"a\": 1} true");
        assertThat(tables.database.text("select detail #>> '{original,payload}' from outbox_audit"))
                .isEqualTo("{ \"phone\" : \"secret\",\n \"n\" : 1.50 }");
    }

    @Test
    void an_edit_is_read_from_standard_input_too() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(
                "{\"headers\":{\"x\":\"y\"},\"payload\":null}".getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(run("retry", "sms", "7", "--edit", "-").exit()).isZero();
        } finally {
            System.setIn(before);
        }
        assertThat(tables.count("outbox_retry where payload is null and headers ->> 'x' = 'y'"))
                .isEqualTo(1);
    }

    @Test
    void an_edit_that_is_wrong_or_changes_nothing_is_refused() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"a\":1}'");

        assertThat(edited("{\"payloda\":1}").err()).contains("unknown field payloda");
        assertThat(edited("{\"payload\":").err()).contains("invalid JSON");
        assertThat(edited("{\"headers\":{\"x\":[]}}").err()).contains("headers.x must be a string");
        assertThat(edited("{}").err()).contains("neither payload nor headers");
        assertThat(edited("{\"headers\":{\"a\" : 1}}").err()).contains("does not change");
        assertThat(edited("{\"headers\":{\"a\" : 1}}").exit()).isEqualTo(1);
        assertThat(run("retry", "--all", "--edit", "-").exit()).isEqualTo(2);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void bytes_are_shown_in_hexadecimal_and_only_when_asked() throws Exception {
        tables.dead("sms", 7, "payload_bytes", "'\\x00ff' || repeat('secret', 100)::bytea");

        assertThat(run("show", "sms", "7").out())
                .contains("payload       binary, 602 bytes (shown with --payload)")
                .doesNotContain("secret", "73 65");
        assertThat(run("show", "sms", "7", "--payload").out())
                .contains(
                        "payload       binary, 602 bytes\n",
                        "    00000000  00 ff 73 65 63 72 65 74 73 65 63 72 65 74 73 65  |..secretsecretse|\n",
                        "    … and 90 more bytes\n");
        JsonNode letter =
                json(run("show", "sms", "7", "--payload", "--output", "json")).get(0);
        assertThat(letter.get("payload").isNull()).isTrue();
        assertThat(letter.get("payloadBase64").binaryValue()).hasSize(602).startsWith(0, 0xff, 's');
        assertThat(letter.get("binarySize").asInt()).isEqualTo(602);
    }

    @Test
    void bytes_are_replaced_by_a_file_or_by_base64() throws Exception {
        Path file = folder.resolve("new.bin");
        Files.write(file, new byte[] {0, -2, '"'});
        tables.dead("sms", 7, "payload_bytes", "'\\x00ff'", "headers", "'{\"a\":1}'");
        tables.dead("sms", 8, "payload_bytes", "'\\x00ff'");

        CommandRun dry = run("retry", "sms", "7", "--payload-file", file.toString(), "--dry-run");
        CommandRun run = run("retry", "sms", "7", "--payload-file", file.toString());
        Files.writeString(folder.resolve("edit.json"), "{\"payloadBase64\":\"AQ==\",\"headers\":{\"b\":2}}");
        CommandRun edited =
                run("retry", "sms", "8", "--edit", folder.resolve("edit.json").toString());

        assertThat(dry.err()).contains("payloadBase64: \"AP8=\" -> \"AP4i\"");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(edited.exit()).as(edited.err()).isZero();
        assertThat(tables.database.text(
                        "select string_agg(id || ' ' || payload_bytes || ' ' || headers, ' ' order by id)"
                                + " from outbox_retry where payload is null"))
                .isEqualTo("7 \\x00fe22 {\"a\": 1} 8 \\x01 {\"b\": 2}");
        assertThat(tables.database.text(
                        "select detail #>> '{original,payloadBase64}' from outbox_audit where message = 7"))
                .isEqualTo("AP8=");
    }

    @Test
    void a_payload_keeps_its_kind() throws Exception {
        tables.dead("sms", 7, "payload_bytes", "'\\x00ff'");
        tables.dead("sms", 8, "payload", PAYLOAD);
        Path file = folder.resolve("payload");

        assertThat(edited("{\"payload\":{}}").err())
                .contains("the payload is binary: give payloadBase64 instead of payload");
        assertThat(edited("{\"payloadBase64\":\"###\"}").err()).contains("payloadBase64 is not Base64");
        assertThat(edited("{\"payloadBase64\":\"AP8=\"}").err()).contains("does not change");
        assertThat(edited("{\"payloadBase64\":\"\",\"payload\":1}").err()).contains("exclude each other");
        Files.write(file, new byte[] {0, -1});
        assertThat(run("retry", "sms", "7", "--payload-file", file.toString()).err())
                .contains("does not change", "leave out --payload-file");
        assertThat(run("retry", "sms", "8", "--payload-file", file.toString()).err())
                .contains("contains a zero byte. Nothing was changed.");
        Files.writeString(file, "1,\"headers\":{}");
        assertThat(run("retry", "sms", "8", "--payload-file", file.toString()).err())
                .contains("invalid JSON");
        Files.writeString(file, "1 2");
        assertThat(run("retry", "sms", "8", "--payload-file", file.toString()).err())
                .contains("more than one JSON value");
        Files.writeString(file, "");
        assertThat(run("retry", "sms", "8", "--payload-file", file.toString()).err())
                .contains("the payload must be JSON");
        assertThat(run("retry", "sms", "8", "--payload-file", folder.toString()).exit())
                .isEqualTo(2);
        assertThat(run("retry", "sms", "8", "--payload-file", "a", "--edit", "b")
                        .exit())
                .isEqualTo(2);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(2);

        Files.writeString(file, "{ \"n\" : 2.50 }\n");
        assertThat(run("retry", "sms", "8", "--payload-file", file.toString()).exit())
                .isZero();
        assertThat(tables.database.text("select payload from outbox_retry")).isEqualTo("{ \"n\" : 2.50 }");
    }

    @Test
    void bytes_are_exported_as_base64_and_read_back_by_publish() throws Exception {
        tables.dead("sms", 7, "payload_bytes", "'\\x00ff275c'", "headers", "'{\"a\":1}'");
        tables.dead("sms", 8, "payload_bytes", "'\\x'");
        Path file = folder.resolve("dead.ndjson");

        assertThat(run("export", "--file", file.toString()).exit()).isZero();
        assertThat(Files.readString(file))
                .contains("\"payloadBase64\":\"AP8nXA==\"")
                .doesNotContain("\"payload\":");
        CommandRun published = CommandRun.of("publish", "--config", config, "--file", file.toString());

        assertThat(published.exit()).as(published.err()).isZero();
        assertThat(tables.database.jdbc().queryForList("select payload_bytes from outbox order by id", byte[].class))
                .containsExactly(new byte[] {0, -1, 39, 92}, new byte[0]);
    }

    @Test
    void an_export_is_read_back_by_publish() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"a\":1}'");
        tables.dead("sms", 8);
        Path file = folder.resolve("dead.ndjson");

        CommandRun run = run("export", "--file", file.toString());

        assertThat(run.exit()).isZero();
        assertThat(run.err()).contains("Wrote 2 dead letters to");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("{ \"phone\" : \"secret\",  \"n\" : 1.50 }");
        JsonNode first = new ObjectMapper().readTree(lines.get(0));
        assertThat(first.at("/deadLetter/id").asLong()).isEqualTo(7);
        assertThat(first.at("/deadLetter/errorStack").asText()).isEqualTo("at somewhere");
        assertThat(run("export", "--file", file.toString()).exit()).isEqualTo(2);

        CommandRun published = CommandRun.of("publish", "--config", config, "--file", file.toString());
        assertThat(published.exit()).as(published.err()).isZero();
        assertThat(tables.database.number(
                        "select count(*) from outbox where message_id in (md5('7')::uuid, md5('8')::uuid)"))
                .isEqualTo(2);
    }

    @Test
    void an_export_to_standard_output_has_messages_only() throws Exception {
        tables.deadMany("sms", 45);

        CommandRun run = run("export", "--subscription", "sms");

        assertThat(run.out().lines()).hasSize(45).allSatisfy(line -> assertThat(line)
                .startsWith("{\"aggregateType\""));
        assertThat(run.err()).contains("Wrote 45 dead letters.");
    }

    @Test
    void what_people_did_is_listed_newest_first() throws Exception {
        assertThat(CommandRun.of("audit", "list", "--config", config).out()).startsWith("No changes by people");
        tables.dead("sms", 7);
        tables.dead("email", 8);
        run("retry", "sms", "7", "--who", "anna");
        run("discard", "email", "8", "--who", "ben", "--reason", "spam");

        assertThat(CommandRun.of("audit", "list", "--config", config)
                        .out()
                        .lines()
                        .skip(1))
                .satisfiesExactly(
                        first -> assertThat(first).contains("ben", "discard", "email", "8", "spam", "key=order/8"),
                        second -> assertThat(second).contains("anna", "retry", "sms", "7"));
        JsonNode ofSms =
                json(CommandRun.of("audit", "list", "--config", config, "--subscription", "sms", "--output", "json"));
        assertThat(ofSms).hasSize(1);
        assertThat(ofSms.get(0).at("/detail/errorClass").asText()).contains("HttpOperationFailedException");
    }

    @Test
    void the_audit_shows_an_original_payload_only_when_asked() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);
        edited("{\"payload\":2}");

        assertThat(CommandRun.of("audit", "list", "--config", config, "--output", "json")
                        .out())
                .doesNotContain("secret");
        assertThat(CommandRun.of("audit", "list", "--config", config).out())
                .contains("edited=true")
                .doesNotContain("secret");
        assertThat(CommandRun.of("audit", "list", "--config", config, "--payload")
                        .out())
                .contains("secret");
    }

    private CommandRun edited(String edit) throws Exception {
        Path file = folder.resolve("edit.json");
        Files.writeString(file, edit);
        return run("retry", "sms", "7", "--edit", file.toString());
    }

    private CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of("dead-letters"));
        all.addAll(List.of(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private static JsonNode json(CommandRun run) throws Exception {
        return new ObjectMapper().readTree(run.out());
    }
}
