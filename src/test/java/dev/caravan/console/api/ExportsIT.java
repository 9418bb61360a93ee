package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.console.api.HttpRelay.Answered;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whole lists as CSV and JSON lines. */
class ExportsIT extends SampleRelay {
    /** More than the buffers of a connection hold. */
    private static final int MANY = 60_000;

    @Test
    void a_list_is_exported_as_it_is_listed() throws Exception {
        relay.post("/api/dead-letters/sms/5/discard", "{\"reason\":\"over\",\"by\":\"anna\"}");
        for (String list : List.of(
                "/api/dead-letters?subscription=sms&error=IOException",
                "/api/dead-letters?subscription=sms&sort=id",
                "/api/dead-letters/discarded?subscription=sms",
                "/api/retries?subscription=sms",
                "/api/retries?blocked=true",
                "/api/audit?subscription=sms",
                "/api/messages?key=order/1")) {
            JsonNode items = relay.get(list).json().get("items");
            String lines = text(list + "&format=jsonl");
            String table = text(list + "&format=csv");

            assertThat(items).as(list).isNotEmpty();
            assertThat(lines.lines().map(Json::read))
                    .as(list)
                    .containsExactlyElementsOf(
                            StreamSupport.stream(items.spliterator(), false).toList());
            assertThat(table.split("\r\n")).as(list).hasSize(items.size() + 1);
            assertThat(List.of(table.split("\r\n")[0].split(","))).as(list).containsAll(names(items.get(0)));
        }
    }

    private static List<String> names(JsonNode row) {
        List<String> names = new ArrayList<>();
        row.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static String text(String path) throws Exception {
        Answered answered = relay.get(path);
        assertThat(answered.status()).as(answered.response().body()).isEqualTo(200);
        return answered.response().body();
    }

    @Test
    void an_export_is_a_file_of_its_format() throws Exception {
        Answered table = relay.get("/api/dead-letters?format=csv");
        Answered lines = relay.get("/api/dead-letters/discarded?format=jsonl");

        assertThat(table.response().headers().firstValue("Content-Type"))
                .contains("text/csv; charset=utf-8; header=present");
        assertThat(table.response().headers().firstValue("Content-Disposition"))
                .contains("attachment; filename=\"dead-letters.csv\"");
        assertThat(table.response().headers().firstValue("Transfer-Encoding")).contains("chunked");
        assertThat(lines.response().headers().firstValue("Content-Type")).contains("application/x-ndjson");
        assertThat(lines.response().body()).isEmpty();
        assertThat(relay.get("/api/dead-letters?format=xml").detail()).isEqualTo("format must be csv or jsonl");
        assertThat(relay.get("/api/dead-letters?format=csv&limit=5").detail())
                .startsWith("limit cannot be combined with format");
        relay.get("/api/dead-letters?format=csv&subscription=smss").assertStatus(404);
    }

    @Test
    void payloads_are_exported_if_asked_and_masked_and_as_the_role_permits() throws Exception {
        Map<String, String> settings = new HashMap<>(HttpRelay.tokens());
        settings.put("caravan.management.mask", "phone,token");
        try (HttpRelay guarded = HttpRelay.start(settings)) {
            Samples.fill(guarded.database);
            String[] all = {"Authorization", "Bearer " + HttpRelay.TOKEN};
            String[] read = {"Authorization", "Bearer " + HttpRelay.READ_TOKEN};

            for (String list :
                    List.of("/api/dead-letters?subscription=sms", "/api/retries?subscription=sms&blocked=true")) {
                String without =
                        guarded.get(list + "&format=jsonl", read).response().body();
                String lines = guarded.get(list + "&format=jsonl&payload=true", all)
                        .response()
                        .body();
                String table = guarded.get(list + "&format=csv&payload=true", all)
                        .response()
                        .body();

                assertThat(without.lines()).as(list).hasSizeGreaterThan(4);
                assertThat(without).doesNotContain("payload", "phone");
                assertThat(guarded.get(list + "&format=csv&payload=true", read).status())
                        .isEqualTo(403);
                assertThat(guarded.get(list + "&payload=true", all).status()).isEqualTo(400);
                assertThat(lines.lines()).hasSameSizeAs(without.lines().toList());
                assertThat(Json.read(lines.lines().findFirst().orElseThrow())
                                .at("/payload/phone")
                                .asText())
                        .isEqualTo("•••");
                assertThat(table).contains("\"\"phone\"\": \"\"•••\"\"").doesNotContain("+49", "secret");
            }
            assertThat(guarded.get("/api/dead-letters?format=csv&payload=true", all)
                            .response()
                            .body())
                    .as("every digit is kept")
                    .contains("\"\"n\"\": 1.10", "\"\"price\"\": 1e2");
        }
    }

    @Test
    void slow_clients_hold_neither_a_transaction_nor_other_requests_and_their_number_is_limited() throws Exception {
        dead(MANY);
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                slow.add(beginExport());
            }
            eventually(() -> assertThat(relay.database.number(
                            "select count(*) from pg_stat_activity where datname = current_database() and (state like"
                                    + " 'idle in transaction%' or state = 'active' and query like '%outbox_dead_letter%')"
                                    + " and pid <> pg_backend_pid()"))
                    .isZero());
            relay.get("/api/overview").assertStatus(200);
            Answered fifth = relay.sendOnce(relay.request("/api/dead-letters?format=jsonl"));
            fifth.assertStatus(429);
            assertThat(fifth.detail())
                    .isEqualTo("4 exports of this role are running on this relay. Try again when one has ended.");
        } finally {
            for (Socket each : slow) {
                each.close();
            }
        }
        eventually(() -> assertThat(relay.sendOnce(relay.request("/api/dead-letters/discarded?format=jsonl"))
                        .status())
                .isEqualTo(200));
    }

    @Test
    void an_export_that_fails_is_recognized_as_incomplete() throws Exception {
        dead(MANY);
        try (Socket client = beginExport()) {
            relay.database.execute("alter table outbox_dead_letter rename to outbox_dead_letter_gone");
            String received;
            try {
                received = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                relay.database.execute("alter table outbox_dead_letter_gone rename to outbox_dead_letter");
            }
            assertThat(received)
                    .contains("\"id\":700001")
                    .doesNotContain("\"id\":760000")
                    .doesNotEndWith("\r\n0\r\n\r\n");
        }
    }

    @Test
    void a_relay_that_stops_does_not_wait_for_a_slow_client() throws Exception {
        HttpRelay other = HttpRelay.start(Map.of());
        Socket client;
        long begin;
        try (other) {
            dead(other, MANY);
            client = beginExport(other);
            begin = System.nanoTime();
        }
        assertThat(System.nanoTime() - begin).isLessThan(30_000_000_000L); // a second on an idle machine
        try (client) {
            assertThat(new String(readUntilClosed(client), StandardCharsets.UTF_8))
                    .doesNotEndWith("\r\n0\r\n\r\n");
        }
    }

    private static byte[] readUntilClosed(Socket client) throws IOException {
        var received = new ByteArrayOutputStream();
        try {
            client.getInputStream().transferTo(received);
        } catch (SocketException e) {
            // a reset is an end too
        }
        return received.toByteArray();
    }

    @Test
    void an_export_over_http_1_0_is_refused_because_nobody_could_see_that_it_is_incomplete() throws Exception {
        try (Socket client = new Socket("localhost", relay.port)) {
            client.getOutputStream().write(request(relay, "HTTP/1.0"));
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("400 Bad Request", "proxy_http_version 1.1");
        }
    }

    @Tag("long")
    @Test
    void a_list_of_any_length_is_complete_and_each_row_is_in_it_once() throws Exception {
        dead(300_000);
        try (InputStream body = HttpClient.newHttpClient()
                .send(
                        relay.request("/api/dead-letters?format=jsonl&subscription=orders")
                                .build(),
                        BodyHandlers.ofInputStream())
                .body()) {
            var ids = new HashSet<Long>();
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))
                    .lines()
                    .forEach(
                            line -> assertThat(ids.add(Json.read(line).get("id").asLong()))
                                    .isTrue());
            assertThat(ids).hasSize(300_000);
        }
    }

    /** Begins an export of which nothing is read beyond what the small buffers of the connection take. */
    private static Socket beginExport() throws IOException {
        return beginExport(relay);
    }

    private static Socket beginExport(HttpRelay of) throws IOException {
        Socket client = new Socket();
        client.setReceiveBufferSize(4_096);
        client.setSoTimeout(60_000);
        client.connect(new InetSocketAddress("localhost", of.port));
        client.getOutputStream().write(request(of, "HTTP/1.1"));
        byte[] begin = client.getInputStream().readNBytes(12);
        assertThat(new String(begin, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 200");
        return client;
    }

    private static byte[] request(HttpRelay of, String version) {
        return ("GET /api/dead-letters?subscription=orders&sort=id&format=jsonl " + version + "\r\nHost: localhost:"
                        + of.port + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void dead(int count) {
        dead(relay, count);
    }

    private static void dead(HttpRelay of, int count) {
        of.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) select 'orders', 700000 + n, gen_random_uuid(), 'order', n::text,"
                        + " 'order.created', '{}', now(), 1, now(), now(), 'E', repeat('e', 200), '' from"
                        + " generate_series(1, " + count + ") n");
    }
}
