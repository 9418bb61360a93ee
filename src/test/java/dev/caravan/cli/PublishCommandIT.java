package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PublishCommandIT extends CommandFixture {
    private static final String ID = "3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a";
    private static final String COUNT = "select count(*) from outbox";

    PublishCommandIT() {
        super("publish");
    }

    @Test
    void messages_are_inserted_as_written() throws Exception {
        assertThat(publish(
                                "{\"aggregateType\":\"order\",\"aggregateId\":\"a\\\\b\",\"type\":\"order.created\","
                                        + "\"payload\":{ \"b\":1.50,\"a\":\"\\u0000\\n\\t\\\\ grüße\" },\"headers\":{\"x\":\"y\\\\z\",\"n\":1}}\n"
                                        + "\n"
                                        + "{\"aggregateType\":\"order\",\"aggregateId\":\"2\",\"type\":\"order.deleted\",\"payload\":null}")
                        .assertDone()
                        .out())
                .startsWith("Inserted 2 messages in ");
        assertThat(database.text("select payload::text from outbox where id = 1"))
                .isEqualTo("{ \"b\":1.50,\"a\":\"\\u0000\\n\\t\\\\ grüße\" }");
        assertThat(database.text("select aggregate_id || ' ' || (headers ->> 'x') from outbox where id = 1"))
                .isEqualTo("a\\b y\\z");
        assertThat(database.text("select payload::text from outbox where id = 2"))
                .isNull();
    }

    @Test
    void with_one_bad_line_nothing_is_inserted_and_every_bad_line_is_named() throws Exception {
        publish(message(1) + "nonsense\n" + message(3) + "{\"type\":3}\n")
                .assertFailed(
                        "line 2: invalid JSON", "line 4: type must be a string", "Nothing was inserted", "2 bad lines");
        assertThat(database.number(COUNT)).isZero();
    }

    @Test
    void with_skip_bad_the_rest_is_inserted() throws Exception {
        CommandRun run = publish(message(1) + "nonsense\n" + message(3), "--skip-bad", "--batch", "1");

        run.assertDone("Inserted 2 messages, skipped 1 bad line");
        assertThat(run.err()).contains("line 2: invalid JSON");
        assertThat(database.number(COUNT)).isEqualTo(2);
        assertThat(database.number("select count(distinct xmin::text) from outbox"))
                .as("transactions")
                .isEqualTo(2);
    }

    @Test
    @Tag("long")
    void only_the_first_bad_lines_are_listed() throws Exception {
        CommandRun run = publish("x\n".repeat(50));

        assertThat(run.err()).contains("line 20: ", "and 30 more bad lines").doesNotContain("line 21: ");
    }

    @Test
    void with_a_message_id_that_occurs_twice_nothing_is_inserted_and_both_lines_are_named() throws Exception {
        publish(message(1) + withId(ID) + message(3) + withId(ID.toUpperCase(Locale.ROOT)))
                .assertFailed("line 4: messageId " + ID + " is already used on line 2", "Nothing was inserted");
        assertThat(database.number(COUNT)).isZero();
    }

    @Test
    void with_skip_bad_the_first_of_two_lines_with_a_message_id_is_inserted_whatever_the_batch() throws Exception {
        assertThat(publish(withId(ID) + message(2) + withId(ID), "--skip-bad", "--batch", "1")
                        .assertDone()
                        .err())
                .contains("line 3: messageId " + ID + " is already used on line 1");
        assertThat(database.number("select count(*) from outbox where message_id = '" + ID + "'"))
                .isEqualTo(1);
        assertThat(database.number(COUNT)).isEqualTo(2);
    }

    @Test
    void many_messages_are_one_transaction() throws Exception {
        CommandRun run = publish(messages(25_000));

        assertThat(run.out()).contains("Inserted 25,000 messages");
        assertThat(database.number("select count(distinct xmin::text) from outbox"))
                .isEqualTo(1);
        assertThat(database.number("select count(distinct message_id) from outbox"))
                .isEqualTo(25_000);
    }

    @Test
    void standard_input_is_read_without_a_file() throws Exception {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(message(1).getBytes(StandardCharsets.UTF_8)));
        try {
            run().assertDone();
        } finally {
            System.setIn(before);
        }
        assertThat(database.number(COUNT)).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void batch_without_skip_bad_is_wrong_use() throws Exception {
        publish(message(1), "--batch", "10").assertWrongUse("--batch needs --skip-bad");
    }

    @Test
    @Tag("long")
    void a_missing_file_is_wrong_use() {
        run("--file", "no-such.ndjson").assertWrongUse("no-such.ndjson", "Nothing was inserted");
    }

    @Test
    void a_refusal_of_the_database_says_that_nothing_was_inserted() throws Exception {
        database.execute("alter table outbox add constraint no_orders check (aggregate_type <> 'order')");

        publish(message(1)).assertFailed("Failed: nothing was inserted.", "no_orders");
    }

    private CommandRun publish(String lines, String... options) throws IOException {
        Path file = folder.resolve("messages.ndjson");
        Files.writeString(file, lines);
        return run(Stream.concat(Stream.of("--file", file.toString()), Arrays.stream(options))
                .toArray(String[]::new));
    }

    private static String messages(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(PublishCommandIT::message)
                .collect(Collectors.joining());
    }

    private static String withId(String id) {
        return message(7).replace("{\"aggregateType\"", "{\"messageId\":\"" + id + "\",\"aggregateType\"");
    }

    private static String message(int number) {
        return "{\"aggregateType\":\"order\",\"aggregateId\":\"" + number
                + "\",\"type\":\"order.created\",\"payload\":{\"number\":" + number + "}}\n";
    }
}
