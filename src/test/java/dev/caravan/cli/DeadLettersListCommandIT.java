package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.Discarded;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that show dead letters and the changes that people made to them. */
class DeadLettersListCommandIT extends DeadLettersFixture {
    @Test
    void the_list_is_short_and_shows_no_payload() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD, "error_text", "E'answered\\n400 \\x1b[31mred'");
        tables.dead("email", 8);

        CommandRun run = run("list");

        assertThat(run.assertDone().out()).doesNotContain("secret", "\u001b");
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title).isEqualTo("SUBSCRIPTION ID KEY TYPE ATTEMPTS FAILED ERROR"),
                        first -> assertThat(first).startsWith("email 8 order/8 order.created 3 "),
                        second -> assertThat(second)
                                .endsWith(" ago HttpOperationFailedException: answered 400 ␣U+001B[31mred"));
    }

    @Test
    @Tag("long")
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
                run("groups", "--output", "json").json().get(0).get("group").asText();

        run("mark", "sms", group, "--known", "--note", "OPS-7", "--who", "anna").assertDone();
        assertThat(run("groups").out().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith(group + " sms 2 ")
                        .endsWith("known HttpOperationFailedException: order # is not open OPS-7"));
        assertThat(run("list", "--group", group).out().lines()).hasSize(3);
        run("mark", "sms", "0000000000000000", "--known").assertFailed();
        run("mark", "sms", group).assertWrongUse();
        assertThat(run("list", "--group", "7").err()).contains("'7' is not a group");
    }

    @Test
    @Tag("long")
    void the_list_as_json_has_whole_facts() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);

        JsonNode letter =
                run("list", "--output", "json", "--subscription", "sms").json().get(0);

        assertThat(letter.get("id").asLong()).isEqualTo(7);
        assertThat(letter.get("lastFailedAt").asText()).isEqualTo("2026-01-01T12:00:07Z");
        assertThat(letter.has("payload")).isFalse();
    }

    @Test
    @Tag("long")
    void no_match_is_no_failure_and_a_mistyped_subscription_is_reported() throws Exception {
        database.execute("insert into outbox_subscription (name, position) values ('booking-sms', 0)");

        assertThat(run("list").out()).startsWith("No dead letters.");
        assertThat(run("list", "--subscription", "booking-sms").out()).startsWith("No dead letter matches.");
        run("list", "--subscription", "booking-sms").assertDone();
        for (String command : List.of("list", "groups", "discarded", "export")) {
            run(command, "--subscription", "booking-smd")
                    .assertFailed("There is no subscription booking-smd, did you mean booking-sms?");
        }
        assertThat(run("retry", "--all", "--yes", "--subscription", "booking-smd")
                        .err())
                .contains("did you mean booking-sms? Nothing was changed.");
    }

    @Test
    void a_list_is_written_as_csv_or_json_lines_with_all_its_rows() throws Exception {
        tables.deadMany("sms", 60);
        tables.dead("email", 8, "payload", PAYLOAD, "error_text", "'=1+1 \"quoted\", ended'");

        CommandRun csv = run("list", "--output", "csv");
        CommandRun lines = run("list", "--output", "jsonl", "--subscription", "email");

        csv.assertDone();
        assertThat(csv.out().split("\r\n"))
                .hasSize(62)
                .startsWith(String.join(",", DeadLetterSummary.COLUMNS))
                .anyMatch(
                        line -> line.startsWith("\"email\",8,") && line.contains(",\"'=1+1 \"\"quoted\"\", ended\","));
        assertThat(csv.out()).doesNotContain("secret");
        assertThat(lines.out().lines()).singleElement().satisfies(line -> assertThat(Json.read(line))
                .isEqualTo(run("list", "--output", "json", "--subscription", "email")
                        .json()
                        .get(0)));
        assertThat(run("list", "--output", "csv", "--limit", "5").err())
                .contains("--limit cannot be combined with --output csv");
        assertThat(run("discarded", "--output", "csv").out()).isEqualTo(String.join(",", Discarded.COLUMNS) + "\r\n");
    }

    @Test
    void a_slash_in_the_aggregate_type_makes_no_other_key() throws Exception {
        tables.dead("sms", 7, "aggregate_id", "'c'");
        tables.dead("sms", 8, "aggregate_id", "'b/c'");
        database.execute("update outbox_dead_letter set aggregate_type = case id when 7 then 'a/b' else 'a' end");

        assertThat(run("list").out()).contains(" a%2Fb/c ", " a/b/c ");
        run("discard", "--all", "--key", "a%2Fb/c", "--reason", "test", "--yes", "--who", "anna")
                .assertDone();
        assertThat(run("list").out()).contains(" a/b/c ").doesNotContain("a%2Fb");
        assertThat(database.text("select detail ->> 'key' from outbox_audit order by id desc limit 1"))
                .isEqualTo("a%2Fb/c");
        assertThat(run("list", "--key", "a/b/c").out().lines()).hasSize(2);
    }

    @Test
    void a_wrong_time_or_key_is_wrong_use() {
        run("list", "--since", "yesterday").assertWrongUse();
        assertThat(run("list", "--since", "yesterday").err()).contains("'yesterday' is not a time", "2h");
        assertThat(run("list", "--key", "order").err()).contains("TYPE/ID");
        run("list", "--limit", "0").assertWrongUse();
        run("list", "--since", "1h", "--until", "2h").assertWrongUse();
        assertThat(run("discarded", "--since", "1h", "--until", "2h").err())
                .contains("--since must be before --until: no time is between 20");
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
                run("show", "sms", "7", "--output", "json", "--payload").json().get(0);
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
                "outbox_earlier_attempts(null, '2026-01-01Z', 1, 'relay-2', 30000, 'java.io.IOException', 'timeout',"
                        + " null)");

        assertThat(run("show", "sms", "7").out().lines().map(String::strip).toList())
                .startsWith("Dead letter sms 7", "answer        {\"detail\": \"unknown\\ncountry\"}")
                .containsSubsequence(
                        "attempts      3",
                        "2026-01-01T00:00:00Z attempt 1 by relay-2 failed after 30s: timeout",
                        "(1 attempt not stored)",
                        "2026-01-01T12:00:07Z attempt 3 by relay-1 failed after 230ms: {\"detail\": \"unknown\\n"
                                + "country\"}");
        JsonNode shown = run("show", "sms", "7", "--output", "json").json().get(0);
        assertThat(shown.get("answer").asText()).contains("unknown");
        assertThat(shown.at("/failures/1/durationMillis").asInt()).isEqualTo(230);
        assertThat(run("list", "--error", "COUNTRY").out()).contains("sms");
    }

    @Test
    @Tag("long")
    void a_message_id_finds_all_subscriptions_where_it_is_dead() throws Exception {
        tables.dead("sms", 7);
        tables.dead("email", 7);
        String messageId = database.text("select md5('7')::uuid");

        assertThat(run("show", messageId).out()).contains("Dead letter email 7", "Dead letter sms 7");
    }

    @Test
    void the_history_of_a_message_is_shown_with_it() throws Exception {
        tables.dead("sms", 7);
        run("retry", "sms", "7", "--who", "anna", "--reason", "provider is back");
        run("show", "sms", "7").assertFailed("sms 7 is not a dead letter; last change: retry by anna");

        database.execute("delete from outbox_retry");
        tables.dead("sms", 7);
        assertThat(run("show", "sms", "7").out()).contains("retry by anna: provider is back");
    }

    @Test
    @Tag("long")
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
                run("show", "sms", "7", "--payload", "--output", "json").json().get(0);
        assertThat(letter.get("payload").isNull()).isTrue();
        assertThat(letter.get("payloadBase64").binaryValue()).hasSize(602).startsWith(0, 0xff, 's');
        assertThat(letter.get("binarySize").asInt()).isEqualTo(602);
    }

    @Test
    void what_people_did_is_listed_newest_first() throws Exception {
        assertThat(command("audit", "list").out()).startsWith("No changes by people");
        tables.dead("sms", 7);
        tables.dead("email", 8);
        run("retry", "sms", "7", "--who", "anna");
        run("discard", "email", "8", "--who", "ben", "--reason", "spam");

        assertThat(command("audit", "list").out().lines().skip(1))
                .satisfiesExactly(
                        first -> assertThat(first).contains("ben", "discard", "email", "8", "spam", "key=order/8"),
                        second -> assertThat(second).contains("anna", "retry", "sms", "7"));
        JsonNode ofSms = command("audit", "list", "--subscription", "sms", "--output", "json")
                .json();
        assertThat(ofSms).hasSize(1);
        assertThat(ofSms.get(0).at("/detail/errorClass").asText()).contains("HttpOperationFailedException");
    }

    @Test
    void the_audit_shows_an_original_payload_only_when_asked() throws Exception {
        tables.dead("sms", 7, "payload", PAYLOAD);
        edited("{\"payload\":2}");

        assertThat(command("audit", "list", "--output", "json").out()).doesNotContain("secret");
        assertThat(command("audit", "list").out()).contains("edited=true").doesNotContain("secret");
        assertThat(command("audit", "list", "--payload").out()).contains("secret");
    }
}
