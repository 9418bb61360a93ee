package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.file;
import static dev.caravan.adopt.intake.SourceFixture.intake;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.file.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntakeFileTest {
    private static final String[] SHORTEST = {
        "intake: shop",
        "dataSource: shopDb",
        "table: outbox",
        "pending: state = 0",
        "mark: state = 1",
        "message:",
        "  aggregateType: \"'order'\"",
        "  aggregateId: msg_key",
        "  type: topic"
    };

    private static List<String> problems(String... lines) {
        return problems(file("shop.yaml", lines));
    }

    private static List<String> problems(Path file) {
        List<FileProblem> problems = new ArrayList<>();
        assertThat(IntakeFile.read(file, problems).isPresent()).isEqualTo(problems.isEmpty());
        return problems.stream()
                .map(problem -> problem.line() + ": " + problem.text())
                .toList();
    }

    /** The shortest file with one more line, or with one that replaces the line of the same field. */
    private static String[] with(String line) {
        String field = line.substring(0, line.indexOf(':') + 1);
        List<String> lines = new ArrayList<>(List.of(SHORTEST));
        lines.removeIf(each -> each.startsWith(field));
        lines.add(line.startsWith(" ") ? lines.size() : 0, line);
        return lines.toArray(String[]::new);
    }

    @Test
    void a_field_that_contains_itself_is_a_problem() {
        assertThat(problems("intake: shop", "message: &m", "  headers: *m")).contains("2: aggregateId is missing");
        assertThat(problems("&r", "intake: shop", "message: *r")).contains("1: aggregateType is missing");
    }

    @Test
    void names_of_headers_and_their_section_are_checked() {
        assertThat(problems(with("  headers: topic")))
                .containsExactly("10: must be fields, each with a name and a value");
        assertThat(problems(with("  headers: {'': a, \"b\\0\": c}")))
                .containsExactly(
                        "10: headers has a header without a name",
                        "10: the name of the header b\uFFFD contains the character NUL, which Postgres cannot store");
    }

    @Test
    void a_file_in_place_of_the_folder_is_a_problem() throws IOException {
        List<FileProblem> problems = new ArrayList<>();

        assertThat(IntakeFile.readAll(file("shop.yaml", SHORTEST), problems)).isEmpty();

        assertThat(problems)
                .extracting(FileProblem::text)
                .containsExactly(
                        "is a file. The setting caravan.intakes must name the folder that contains the files of intakes");
    }

    @Test
    void a_file_in_another_encoding_says_so() throws IOException {
        Path file = file("shop.yaml", SHORTEST);
        Files.write(file, new byte[] {'#', (byte) 0xe9});

        assertThat(problems(file))
                .containsExactly("1: cannot be read: it is not text in UTF-8. Store it in this encoding");
    }

    @Test
    void a_delay_with_too_many_digits_is_a_problem() {
        assertThat(problems(with("delay: 99999999999999999999s")))
                .containsExactly(
                        "1: delay must be a duration with a unit, such as 50ms or 2s, got 99999999999999999999s");
    }

    @Test
    void the_shortest_file_has_the_defaults() {
        Intake intake = intake(SHORTEST);

        assertThat(intake.name()).isEqualTo("shop");
        assertThat(intake.key()).isEmpty();
        assertThat(intake.order()).isEmpty();
        assertThat(intake.mark()).contains("state = 1");
        assertThat(intake.message().id()).isEmpty();
        assertThat(intake.message().payload()).isEqualTo(new Intake.Payload(Intake.Payload.Kind.ROW, List.of()));
        assertThat(intake.batch()).isEqualTo(1000);
        assertThat(intake.delay()).isEqualTo(Duration.ofMillis(50));
        assertThat(intake.maxPayload()).isEqualTo(16 << 20);
        assertThat(intake.timeZone()).isEmpty();
        assertThat(intake.outcome()).isEmpty();
    }

    @Test
    void each_field_is_read() {
        Intake intake = intake(
                "intake: shop",
                "dataSource: shopDb",
                "table: \"`out box`\"",
                "key: [tenant, id]",
                "pending: \"state = 0 and note <> '?;--'\"",
                "order: [seq, id desc]",
                "mark: delete",
                "message:",
                "  id: id",
                "  aggregateType: \"'order'\"",
                "  aggregateId: concat(tenant, '/', msg_key)",
                "  type: topic",
                "  payload: [a, b]",
                "  headers:",
                "    topic: topic",
                "    trace: coalesce(trace, '')",
                "batch: 10000",
                "delay: 2s",
                "maxPayload: 500kB",
                "timeZone: Europe/Berlin");

        assertThat(intake.table()).isEqualTo("`out box`");
        assertThat(intake.key()).containsExactly("tenant", "id");
        assertThat(intake.order()).containsExactly("seq", "id desc");
        assertThat(intake.mark()).isEmpty();
        assertThat(intake.message().aggregateId()).isEqualTo("concat(tenant, '/', msg_key)");
        assertThat(intake.message().payload())
                .isEqualTo(new Intake.Payload(Intake.Payload.Kind.COLUMNS, List.of("a", "b")));
        assertThat(intake.message().headers()).isEqualTo(Map.of("topic", "topic", "trace", "coalesce(trace, '')"));
        assertThat(intake.batch()).isEqualTo(10_000);
        assertThat(intake.delay()).isEqualTo(Duration.ofSeconds(2));
        assertThat(intake.maxPayload()).isEqualTo(500 << 10);
        assertThat(intake.timeZone()).contains(ZoneId.of("Europe/Berlin"));
        assertThat(intake.lines()).containsEntry("message.headers.trace", 16).containsEntry("timeZone", 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "payload: row                | ROW",
                "payload: none               | NONE",
                "payload: data               | JSON",
                "payload: '\"row\"'            | JSON",
                "payload: [row]              | COLUMNS",
                "payloadBytes: data          | BYTES"
            })
    void the_payload_is_a_word_a_list_or_an_expression(String line, Intake.Payload.Kind kind) {
        assertThat(intake(with("  " + line)).message().payload().kind()).isEqualTo(kind);
    }

    @Test
    void all_problems_are_reported_at_once_with_their_lines() {
        assertThat(problems(
                        "intake: web",
                        "datasource: shopDb",
                        "table: [a, b]",
                        "pending: state = 0)",
                        "mark: state = 1",
                        "mark: state = 2",
                        "message:",
                        "  aggregateType: a, b",
                        "  aggregateID: msg_key",
                        "  type: topic -- the topic",
                        "  payload: data",
                        "  payloadBytes: data",
                        "batch: 0",
                        "delay: 50",
                        "maxPayload: 1GB",
                        "timeZone: Berlin",
                        "outcome:",
                        "  subscription: Orders",
                        "  dead: error = :reason"))
                .containsExactlyInAnyOrder(
                        "6: the field mark is given twice",
                        "1: intake must be the name of the file, shop, got web",
                        "2: unknown field datasource, did you mean dataSource?",
                        "1: dataSource is missing",
                        "3: table must be text",
                        "4: pending has a ) without its (",
                        "8: aggregateType must be one expression, got a, b",
                        "9: unknown field aggregateID, did you mean aggregateId?",
                        "8: aggregateId is missing",
                        "10: type has a comment, which could hide the rest of the statement. Write it as a comment of YAML",
                        "12: payload and payloadBytes exclude each other",
                        "13: batch must be between 1 and 10000, got 0",
                        "14: delay must be a duration with a unit, such as 50ms or 2s, got 50",
                        "15: maxPayload must be a size such as 500kB or 16MB, got 1GB",
                        "16: timeZone must be a time zone such as UTC, +02:00 or Europe/Berlin, got Berlin",
                        "18: subscription must be the name of a subscription, such as orders, got Orders",
                        "18: delivered is missing",
                        "19: dead has the unknown parameter :reason; known are :error, :attempts");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "pending: state = ?             | pending has a ?, which is a parameter without a value. An operator with it is written ??",
                "pending: state = 0; drop x     | pending has a ;, but it is a part of one statement",
                "pending: state in (0           | pending has a ( without its )",
                "pending: state = 'a            | pending has a ' without its end",
                "pending: state = 0 /* x */     | pending has a comment, which could hide the rest of the statement. Write it as a comment of YAML",
                "pending: state = :error        | pending has the unknown parameter :error; only outcome.dead has parameters",
                "batch: many                    | batch must be a whole number from 1 to 10000, got many",
                "batch: 10001                   | batch must be between 1 and 10000, got 10001",
                "delay: 2h                      | delay must be between 1ms and 1h",
                "delay: 0ms                     | delay must be between 1ms and 1h",
                "maxPayload: 65MB               | maxPayload must be between 1B and 64MB",
                "key: []                        | key must have at least one entry",
                "key: {a: b}                    | key must be text",
                "outcome: later                 | must be fields such as dead, delivered, subscription"
            })
    void a_wrong_value_is_a_problem(String line, String problem) {
        assertThat(problems(with(line))).contains("1: " + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "pending: a::text = 'x'",
                "pending: tags[1:2] = array['?', ';'] and data ?? 'a'",
                "pending: \"[it's] = 0\"",
                "pending: \"`a?b` = 0 and \\\"c;d\\\" = ')'\"",
                "pending: \"note = '--' and it = 'it''s'\""
            })
    void what_is_in_quotes_or_an_operator_is_no_problem(String line) {
        assertThat(problems(with(line))).isEmpty();
    }

    @Test
    void a_row_that_is_deleted_gets_no_outcome() {
        assertThat(problems(
                        "intake: shop",
                        "dataSource: shopDb",
                        "table: outbox",
                        "pending: 1 = 1",
                        "mark: Delete",
                        "message: {aggregateType: a, aggregateId: b, type: c}",
                        "outcome: {subscription: orders, delivered: state = 2}"))
                .containsExactly("7: outcome needs the row, but mark: delete has deleted it");
    }

    @ParameterizedTest
    @CsvSource({"Shop.yaml", "shop_2.yaml", "2shop.yaml", ".yaml"})
    void the_name_of_the_file_is_that_of_the_intake(String name) {
        assertThat(problems(file(name, with("intake: " + name.replace(".yaml", "")))))
                .anyMatch(
                        problem -> problem.startsWith("1: the name of the file must have 1 to 50 lower-case letters"));
    }

    @Test
    void what_is_no_yaml_is_a_problem_at_its_line() {
        assertThat(problems("intake: shop", "table: 'outbox"))
                .hasSize(1)
                .allMatch(each -> each.contains("is not YAML"));
        assertThat(problems("")).containsExactly("1: is empty");
        assertThat(problems("- a")).anyMatch(each -> each.startsWith("1: must be fields such as"));
        assertThat(problems(Path.of("missing", "shop.yaml")))
                .hasSize(1)
                .allMatch(each -> each.contains("cannot be read"));
    }

    @Test
    void a_folder_gives_the_valid_files_and_the_problems_of_the_others(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("shop.yaml"), String.join("\n", SHORTEST));
        Files.writeString(folder.resolve("shop.yml"), String.join("\n", SHORTEST));
        Files.writeString(folder.resolve("web.yaml"), String.join("\n", SHORTEST));
        Files.writeString(folder.resolve("readme.md"), "text");
        List<FileProblem> problems = new ArrayList<>();

        assertThat(IntakeFile.readAll(folder, problems))
                .extracting(Intake::name)
                .containsExactly("shop");
        assertThat(problems)
                .extracting(FileProblem::text)
                .containsExactly(
                        "another file defines the intake shop too",
                        "intake must be the name of the file, web, got shop");
        assertThat(IntakeFile.readAll(folder.resolve("missing"), problems)).isEmpty();
    }

    @Test
    void two_files_that_read_the_same_rows_are_a_problem(@TempDir Path folder) throws IOException {
        String shop = String.join("\n", SHORTEST);
        Files.writeString(folder.resolve("shop.yaml"), shop);
        Files.writeString(folder.resolve("web.yaml"), shop.replace("intake: shop", "intake: web"));
        List<FileProblem> problems = new ArrayList<>();

        assertThat(IntakeFile.readAll(folder, problems))
                .extracting(Intake::name)
                .containsExactly("shop");
        assertThat(problems)
                .singleElement()
                .extracting(FileProblem::text)
                .asString()
                .contains("the intake shop reads the same rows");
    }
}
