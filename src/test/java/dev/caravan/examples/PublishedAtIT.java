package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestHttp;
import dev.caravan.docs.DocsPage;
import dev.caravan.relay.Relay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code published-at}: taken over from a poller that a row blocks, while four writers insert. */
class PublishedAtIT {
    private static final String PENDING = "select count(*) from app_outbox where published_at is null";

    @TempDir
    private Path workspace;

    private final List<String> sentByPoller = new ArrayList<>();
    private final AtomicBoolean writersEnded = new AtomicBoolean();
    private final List<Exception> failed = new CopyOnWriteArrayList<>();

    @Test
    @Tag("long")
    void every_row_is_sent_once_and_in_order_and_the_incidents_are_shown_and_end() throws Exception {
        try (var partner = new TestHttp(request -> TestHttp.Answer.of(isPoison(request) ? 400 : 204));
                var example = new Example("published-at", workspace)) {
            example.given("PARTNER_URL", partner.url());
            example.execute(Path.of("examples/published-at/schema.sql"));
            insert(example, "first", 0, "1 hour");
            example.execute("insert into app_outbox (aggregate_id, type, payload, created_at) values"
                    + " ('poison', 'app.made', '{\"poison\": true}', now() - interval '2 hours')");
            example.execute("update app_outbox set published_at = now() where aggregate_id = 'first'");
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String writer = "w" + i;
                writers.add(new Thread(() -> write(example, writer)));
            }
            writers.forEach(Thread::start);

            assertThat(example.follow("## Prepare"))
                    .contains("stuck-message", "time-order", "partitioned-by-published", "published-indexed")
                    .contains("No problems found");
            eventually(() -> assertThat(example.number(PENDING)).isGreaterThan(50));
            publishSome(example);
            assertThat(example.follow("## Take over")).contains("pending");
            try (Relay ignored = example.relay()) {
                eventually(() -> assertThat(accepted(partner)).hasSizeGreaterThan(100));
                writersEnded.set(true);
                for (Thread each : writers) {
                    each.join();
                }
                int all = (int) all(example);
                eventually(
                        () -> assertThat(sentByPoller.size() + accepted(partner).size())
                                .isEqualTo(all));
            }

            assertThat(failed).isEmpty();
            assertThat(example.number(PENDING)).isZero();
            List<String> sent = new ArrayList<>(sentByPoller);
            sent.addAll(accepted(partner));
            assertOnceAndInOrder(sent, all(example));
            String shown = example.follow("## What is better now");
            assertThat(shown).contains("app/poison", "partner");
        }
    }

    private static boolean isPoison(TestHttp.Request request) {
        return request.text().contains("poison");
    }

    private static List<String> accepted(TestHttp partner) {
        return partner.requests().stream()
                .filter(request -> !isPoison(request))
                .map(TestHttp.Request::text)
                .toList();
    }

    @Test
    void a_missing_partition_is_noticed_too_late_as_the_page_says() throws Exception {
        try (var example = new Example("published-at", workspace)) {
            example.execute(Path.of("examples/published-at/schema.sql"));
            insert(example, "a", 1, "0 s");
            example.execute("update app_outbox set published_at = '2027-01-05'");

            assertThatThrownBy(() -> example.execute("create table app_outbox_2027 partition of app_outbox"
                            + " for values from ('2027-01-01') to ('2028-01-01')"))
                    .hasMessageContaining("would be violated by some row");
        }
    }

    @Test
    void the_findings_that_the_page_names_are_those_of_doctor() {
        var findings = DocsPage.read("docs/doctor.md").rows("## Findings").stream()
                .map(row -> row.get(0))
                .toList();
        String table = DocsPage.read("examples/published-at/README.md").text();
        List<String> named = Pattern.compile("(?m)^\\|[^|]*\\| (`[a-z-]+`(?:, `[a-z-]+`)*) \\|")
                .matcher(table)
                .results()
                .flatMap(row -> Pattern.compile("[a-z-]+").matcher(row.group(1)).results())
                .map(found -> found.group())
                .toList();

        assertThat(named).hasSizeGreaterThan(5).isSubsetOf(findings);
    }

    private static long all(Example example) {
        return example.number("select count(*) from app_outbox where aggregate_id like 'w%'");
    }

    /** The row that the poller cannot send is the oldest, so it publishes nothing more until a person makes it skip that row. */
    private void publishSome(Example example) throws Exception {
        List<Map<String, Object>> rows = example.jdbc()
                .queryForList("select id, payload::text from app_outbox where published_at is null"
                        + " and aggregate_id <> 'poison' order by created_at, id limit 20");
        for (Map<String, Object> row : rows) {
            sentByPoller.add((String) row.get("payload"));
            example.execute("update app_outbox set published_at = now() where id = " + row.get("id"));
        }
    }

    private void write(Example example, String writer) {
        try {
            for (int n = 1; !writersEnded.get(); n++) {
                LockSupport.parkNanos(5_000_000);
                insert(example, writer, n, "0 s");
            }
        } catch (Exception e) {
            failed.add(e);
        }
    }

    private static void insert(Example example, String aggregate, int n, String age) throws Exception {
        example.execute("insert into app_outbox (aggregate_id, type, payload, created_at) values ('" + aggregate
                + "', 'app.made', '{\"of\": \"" + aggregate + "\", \"n\": " + n + "}', now() - interval '" + age
                + "')");
    }

    private static void assertOnceAndInOrder(List<String> sent, long expected) {
        Map<String, Integer> last = new HashMap<>();
        var part = Pattern.compile("\"n\": ?(\\d+), ?\"of\": ?\"(\\w+)\"");
        for (String payload : sent) {
            var found = part.matcher(payload);
            assertThat(found.find()).as(payload).isTrue();
            int n = Integer.parseInt(found.group(1));
            assertThat(n).isEqualTo(last.getOrDefault(found.group(2), 0) + 1);
            last.put(found.group(2), n);
        }
        assertThat(last.values().stream().mapToLong(Integer::longValue).sum()).isEqualTo(expected);
    }
}
