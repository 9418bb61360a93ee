package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestHttp.Request;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.RelayProcess;
import dev.caravan.relay.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipe plain-sql in relays: a table without an outbox is polled, and its rows are marked as the error handling classifies failures. */
class PlainSqlIT {
    private static final DocsPage PAGE = DocsPage.read("docs/recipes/plain-sql.md");

    private static final String YAML = PAGE.blocks("yaml").get(0);

    @TempDir
    private Path folder;

    private final TestOutbox database = TestOutbox.create();
    private volatile Function<Request, Answer> answer = request -> Answer.of(200);
    private final TestHttp carrier = new TestHttp(request -> answer.apply(request));

    @BeforeEach
    void createTable() throws Exception {
        database.execute(PAGE.blocks("sql").get(0));
        Files.writeString(folder.resolve("parcels.camel.yaml"), YAML);
    }

    private Relay relay() {
        return Relay.start(database.settingsWithRoutes(
                folder,
                Map.of(
                        "carrier.url",
                        carrier.url(),
                        "caravan.answers.closed",
                        "poison 5xx closed for good",
                        "camel.management.enabled",
                        "false")));
    }

    private void insert(String weight) throws Exception {
        database.execute("insert into parcel (address, weight) values ('Oslo', " + weight + ")");
    }

    private String row(String columns) {
        return database.text("select concat_ws(' ', " + columns + ") from parcel where id = 1");
    }

    @Test
    void a_row_is_sent_with_exact_numbers_and_marked() throws Exception {
        try (Relay relay = relay()) {
            for (String weight : List.of("123456789012345678901234567890", "1.10", "0.1e-30")) {
                insert(weight);
            }

            eventually(() -> assertThat(database.number("select count(*) from parcel where sent_at is not null"))
                    .isEqualTo(3));

            assertThat(carrier.requests())
                    .extracting(Request::text)
                    .containsExactlyInAnyOrder(
                            "{\"id\":1,\"address\":\"Oslo\",\"weight\":123456789012345678901234567890}",
                            "{\"id\":2,\"address\":\"Oslo\",\"weight\":1.10}",
                            "{\"id\":3,\"address\":\"Oslo\",\"weight\":1E-31}");
            assertThat(carrier.requests())
                    .extracting(request -> request.header("id"))
                    .containsOnly("parcel-1", "parcel-2", "parcel-3");
        }
    }

    /** As those of a message: poison, that of the message, that of the destination, and known answers. The address says which. */
    @Test
    void a_failure_is_classified_as_that_of_a_message() throws Exception {
        Map<String, Answer> answers = Map.of(
                "poison", Answer.of(422),
                "message", Answer.of(500),
                "destination", Answer.of(503),
                "known", new Answer(400, Map.of(), "{\"code\": 21611}"),
                "own", new Answer(503, Map.of(), "closed for good"));
        answer = request -> answers.get(request.text().replaceFirst("(?s).*\"address\":\"(\\w+)\".*", "$1"));
        for (String address : answers.keySet()) {
            database.execute("insert into parcel (address, weight) values ('" + address + "', 1)");
        }
        try (WrittenLog log = WrittenLog.warnings();
                Relay relay = relay()) {
            eventually(() -> assertThat(database.number("select count(*) from parcel where error is null"))
                    .isZero());

            assertThat(database.text(
                            "select string_agg(concat_ws(' ', address, attempts, substring(error from '.{3}$'),"
                                    + " due_at > now()), ', ' order by address) from parcel"))
                    .isEqualTo("destination 0 503 t, known 0 400 t, message 1 500 t, own 10 503 t, poison 10 422 t");
            assertThat(log.lines())
                    .anyMatch(line -> line.matches("Route parcels-to-carrier failed: the destination answered \\d{3}"
                            + "\\. Failures since the last warning: 1"));
        }
    }

    @Test
    void a_row_is_sent_again_after_a_failure_until_its_attempts_are_used_up() throws Exception {
        answer = request -> Answer.of(500);
        insert("1");
        try (Relay relay = relay()) {
            for (int attempt = 1; attempt <= 10; attempt++) {
                String expected = Integer.toString(attempt);
                eventually(() -> assertThat(row("attempts")).isEqualTo(expected));
                database.execute("update parcel set due_at = now()");
            }
            insert("2");
            eventually(() -> assertThat(carrier.requests()).hasSize(11));

            answer = request -> Answer.of(200);
            database.execute("update parcel set attempts = 0, due_at = now()");

            eventually(() -> assertThat(row("sent_at is not null, error")).isEqualTo("t"));
        }
    }

    @Tag("long")
    @Test
    void two_relays_never_take_the_same_row() throws Exception {
        database.execute("insert into parcel (address, weight) select 'Oslo', n from generate_series(1, 300) n");
        try (Relay one = relay();
                Relay other = relay()) {
            eventually(() -> assertThat(database.number("select count(*) from parcel where sent_at is null"))
                    .isZero());
        }
        assertThat(carrier.requests())
                .extracting(request -> request.header("id"))
                .hasSize(300)
                .doesNotHaveDuplicates();
    }

    @Test
    void a_row_that_another_relay_is_taking_is_skipped() throws Exception {
        insert("1");
        insert("2");
        try (var other = database.begin(statement().replace("limit 20", "limit 1"))) {

            assertThat(database.jdbc().queryForList(statement()))
                    .extracting("id")
                    .containsExactly(2L);
            other.rollback();
        }
        assertThat(database.jdbc().queryForList(statement())).extracting("id").containsExactly(1L);
        assertThat(database.jdbc().queryForList(statement())).isEmpty();
    }

    /** The statement of the poll. */
    private static String statement() {
        Matcher found = Pattern.compile("(?s)sql:(with .*?)\n +parameters").matcher(YAML);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void a_row_that_cannot_be_marked_is_sent_again_later() throws Exception {
        database.execute("alter table parcel add constraint refuses check (sent_at is null)");
        insert("1");
        try (Relay relay = relay();
                WrittenLog log = WrittenLog.warnings()) {
            eventually(() -> assertThat(carrier.requests()).hasSize(1));
            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("Error executing onConsume")));
            assertThat(row("attempts, sent_at, due_at > now() + interval '9 minutes'"))
                    .isEqualTo("0 t");

            database.execute("alter table parcel drop constraint refuses");
            database.execute("update parcel set due_at = now()");

            eventually(() -> assertThat(row("sent_at is not null")).isEqualTo("t"));
            assertThat(carrier.requests())
                    .extracting(request -> request.header("id"))
                    .containsExactly("parcel-1", "parcel-1");
        }
    }

    @Tag("long")
    @Test
    void a_row_whose_relay_is_killed_after_the_send_is_sent_again_later() throws Exception {
        insert("1");
        var settings = new HashMap<>(database.connection());
        settings.putAll(Map.of("caravan.routes", folder.toString(), "carrier.url", carrier.url()));
        RelayProcess killed = RelayProcess.start("plain-sql-killed", Path.of("target", "plain-sql"), settings);
        answer = request -> {
            killed.kill();
            return Answer.of(200);
        };
        eventually(() -> assertThat(carrier.requests()).hasSize(1));
        eventually(() -> assertThat(killed.isAlive()).isFalse());
        assertThat(row("sent_at is null, attempts, due_at > now()")).isEqualTo("t 0 t");

        answer = request -> Answer.of(200);
        database.execute("update parcel set due_at = now()");
        try (Relay next = relay()) {
            eventually(() -> assertThat(row("sent_at is not null")).isEqualTo("t"));
        }
        assertThat(carrier.requests())
                .extracting(request -> request.header("id"))
                .containsExactly("parcel-1", "parcel-1");
    }
}
