package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.HiddenCharacters;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that change the content of dead letters, or export it. */
class DeadLettersContentCommandIT extends DeadLettersFixture {
    @Test
    void an_edit_shows_what_it_changes_and_is_stored_byte_for_byte() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"a\":1}'");
        Path edit = folder.resolve("edit.json");
        Files.writeString(edit, "{ \"payload\": { \"phone\" : \"grüße\\u0041\", \"n\":1.50 } }");

        assertThat(run("retry", "sms", "7", "--edit", edit.toString(), "--dry-run")
                        .err())
                .contains("payload.phone: \"secret\" -> \"grüßeA\"")
                .doesNotContain("payload.n", "headers");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);

        run("retry", "sms", "7", "--edit", edit.toString())
                .assertDone("Retried dead letter sms 7 with the edit. The audit stores the original.");
        assertThat(database.text("select payload || ' ' || headers || ' ' || edited from outbox_retry"))
                .isEqualTo("{ \"phone\" : \"grüße\\u0041\", \"n\":1.50 } {\"a\": 1} true");
        assertThat(database.text("select detail #>> '{original,payload}' from outbox_audit"))
                .isEqualTo("{ \"phone\" : \"secret\",\n \"n\" : 1.50 }");
    }

    @Test
    void what_would_control_a_terminal_or_reverse_a_text_is_visible() throws Exception {
        tables.dead(
                "sms",
                7,
                "aggregate_id",
                "E'a\\u001b[31m\\u202e'",
                "error_text",
                "E'broken\\u0007 \\u009b31m'",
                "headers",
                "jsonb_build_object('x', E'\\u009b31m')",
                "payload",
                "E'\"\\u2066\"'");

        for (String command : List.of("list", "show sms 7 --payload", "list --output json")) {
            String out = run(command.split(" ")).out();
            assertThat(HiddenCharacters.shown(out)).as(command).isEqualTo(out);
        }
        assertThat(run("list").out()).contains("a␣U+001B[31m␣U+202E", "broken␣U+0007 ␣U+009B31m");
        assertThat(run("show", "sms", "7", "--payload").out()).contains("\"␣U+2066\"", "\"␣U+009B31m\"");
        assertThat(run("list", "--output", "json").out()).contains("a\\u001B[31m\\u202e");
        assertThat(run("show", "mail\u001b[2J", "7").err()).contains("mail␣U+001B[2J");
    }

    @Test
    void a_content_of_more_than_16_megabytes_is_never_read_and_is_retried_unchanged() throws Exception {
        tables.dead("sms", 7, "payload", "('\"' || repeat('x', 17000000) || '\"')::json");

        assertThat(run("show", "sms", "7", "--payload").out())
                .contains("not shown: headers and payload have 17,000,002 bytes");
        assertThat(run("export").out()).contains("\"leftOutBytes\":17000002").hasSizeLessThan(2_000);
        assertThat(edited("{\"payload\":1}").err()).contains("a message of 17000002 bytes is too large to be changed");
        run("retry", "sms", "7").assertDone();
        assertThat(database.text("select octet_length(payload::text) from outbox_retry"))
                .isEqualTo("17000002");
    }

    @Test
    @Tag("long")
    void an_edit_is_read_from_standard_input_too() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(
                "{\"headers\":{\"x\":\"y\"},\"payload\":null}".getBytes(StandardCharsets.UTF_8)));
        try {
            run("retry", "sms", "7", "--edit", "-").assertDone();
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
        edited("{\"headers\":{\"a\" : 1}}").assertFailed();
        run("retry", "--all", "--edit", "-").assertWrongUse();
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    /** A person may copy it from the console. */
    @Test
    void a_masked_value_in_an_edit_is_the_original_value_or_refused() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"token\":\"t\",\"a\":1}'");
        Path file = folder.resolve("payload");
        Files.writeString(file, "{\"phone\":[\"•••\"]}");

        assertThat(edited("{\"payload\":{\"mail\":\"•••\"}}").err())
                .contains("Could not use the edit: the field mail contains the mask", "Nothing was changed.");
        edited("{\"headers\":{\"a\":\"•••\"}}").assertFailed();
        run("retry", "sms", "7", "--payload-file", file.toString()).assertFailed();
        assertThat(edited("{\"payload\":{\"n\":1.50,\"phone\":\"•••\"},\"headers\":{\"a\":1,\"token\":\"•••\"}}")
                        .err())
                .contains("does not change");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);

        assertThat(edited("{\"payload\":{\"phone\":\"\\u2022••\",\"n\":2.50},\"headers\":{\"token\":\"•••\"}}")
                        .err())
                .contains("payload.n", "headers.a")
                .doesNotContain("phone", "token", "secret");
        assertThat(database.text("select payload || ' ' || headers from outbox_retry"))
                .isEqualTo("{\"phone\":\"secret\",\"n\":2.50} {\"token\": \"t\"}");
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
        assertThat(database.text("select string_agg(id || ' ' || payload_bytes || ' ' || headers, ' ' order by id)"
                        + " from outbox_retry where payload is null"))
                .isEqualTo("7 \\x00fe22 {\"a\": 1} 8 \\x01 {\"b\": 2}");
        assertThat(database.text("select detail #>> '{original,payloadBase64}' from outbox_audit where message = 7"))
                .isEqualTo("AP8=");
    }

    @Test
    @Tag("long")
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
        run("retry", "sms", "8", "--payload-file", folder.toString()).assertWrongUse();
        run("retry", "sms", "8", "--payload-file", "a", "--edit", "b").assertWrongUse();
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(2);

        Files.writeString(file, "{ \"n\" : 2.50 }\n");
        run("retry", "sms", "8", "--payload-file", file.toString()).assertDone();
        assertThat(database.text("select payload from outbox_retry")).isEqualTo("{ \"n\" : 2.50 }");
    }

    @Test
    @Tag("long")
    void bytes_are_exported_as_base64_and_read_back_by_publish() throws Exception {
        tables.dead("sms", 7, "payload_bytes", "'\\x00ff275c'", "headers", "'{\"a\":1}'");
        tables.dead("sms", 8, "payload_bytes", "'\\x'");
        Path file = folder.resolve("dead.ndjson");

        run("export", "--file", file.toString()).assertDone();
        assertThat(Files.readString(file))
                .contains("\"payloadBase64\":\"AP8nXA==\"")
                .doesNotContain("\"payload\":");
        CommandRun published = command("publish", "--file", file.toString());

        assertThat(published.exit()).as(published.err()).isZero();
        assertThat(database.jdbc().queryForList("select payload_bytes from outbox order by id", byte[].class))
                .containsExactly(new byte[] {0, -1, 39, 92}, new byte[0]);
    }

    @Test
    void an_export_is_read_back_by_publish() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "headers", "'{\"a\":1}'");
        tables.dead("sms", 8);
        tables.dead("sms", 9, "payload", "'null'");
        Path file = folder.resolve("dead.ndjson");

        CommandRun run = run("export", "--file", file.toString());

        assertThat(run.assertDone().err()).contains("Wrote 3 dead letters to");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains("{ \"phone\" : \"secret\",  \"n\" : 1.50 }");
        JsonNode first = new ObjectMapper().readTree(lines.get(0));
        assertThat(first.at("/deadLetter/id").asLong()).isEqualTo(7);
        assertThat(first.at("/deadLetter/errorStack").asText()).isEqualTo("at somewhere");
        run("export", "--file", file.toString()).assertWrongUse();
        run("export", "--file", folder.resolve("none/letters").toString())
                .assertWrongUse("Could not create the file", "Its folder must exist");

        CommandRun published = command("publish", "--file", file.toString());
        assertThat(published.exit()).as(published.err()).isZero();
        assertThat(database.number("select count(*) from outbox where message_id in (md5('7')::uuid, md5('8')::uuid)"))
                .isEqualTo(2);
        assertThat(database.text("select payload from outbox where message_id = md5('9')::uuid"))
                .isEqualTo("null");
    }

    @Test
    @Tag("long")
    void an_export_to_standard_output_has_messages_only() throws Exception {
        tables.deadMany("sms", 45);

        CommandRun run = run("export", "--subscription", "sms");

        assertThat(run.out().lines()).hasSize(45).allSatisfy(line -> assertThat(line)
                .startsWith("{\"aggregateType\""));
        assertThat(run.err()).contains("Wrote 45 dead letters.");
    }
}
