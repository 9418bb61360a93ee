package dev.caravan.lab.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SmsGatewayTest {
    private final List<ReceivedSms> received = new CopyOnWriteArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private SmsGateway gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = SmsGateway.start(received::add);
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Test
    void a_message_is_queued_and_answered_in_the_shape_of_twilio() throws Exception {
        var answer = post("+4915112345678", "Grüße & bis bald", gateway.password());

        assertThat(answer.statusCode()).isEqualTo(201);
        JsonNode json = new ObjectMapper().readTree(answer.body());
        assertThat(json.get("sid").asText()).matches("SM[0-9a-f]{32}");
        assertThat(json.get("status").asText()).isEqualTo("queued");
        assertThat(received).hasSize(1);
        assertThat(received.get(0).to()).isEqualTo("+4915112345678");
        assertThat(received.get(0).text()).isEqualTo("Grüße & bis bald");
        assertThat(received.get(0).header("idempotency-key")).isEqualTo("the-id");
    }

    @Test
    void a_number_that_is_not_one_is_refused_with_twilios_code() throws Exception {
        var answer = post("12", "hello", gateway.password());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new ObjectMapper().readTree(answer.body()).get("code").asInt())
                .isEqualTo(21211);
        assertThat(received).isEmpty();
    }

    @Test
    void a_wrong_password_is_refused() throws Exception {
        assertThat(post("+4915112345678", "hello", "wrong").statusCode()).isEqualTo(401);
        assertThat(received).isEmpty();
    }

    @Test
    void many_requests_at_once_are_all_answered() {
        var statuses = IntStream.range(0, 200)
                .mapToObj(i -> client.sendAsync(
                        request("+4915112345678", "n" + i, gateway.password()), BodyHandlers.ofString()))
                .toList()
                .stream()
                .map(answer -> answer.join().statusCode())
                .toList();

        assertThat(statuses).containsOnly(201).hasSize(200);
        assertThat(received).hasSize(200);
    }

    private HttpResponse<String> post(String to, String text, String password) throws Exception {
        return client.send(request(to, text, password), BodyHandlers.ofString());
    }

    private HttpRequest request(String to, String text, String password) {
        String credentials =
                Base64.getEncoder().encodeToString((gateway.user() + ":" + password).getBytes(StandardCharsets.UTF_8));
        return HttpRequest.newBuilder(URI.create(gateway.url()))
                .header("Authorization", "Basic " + credentials)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Idempotency-Key", "the-id")
                .POST(BodyPublishers.ofString(
                        "To=" + encoded(to) + "&From=" + encoded("+15005550006") + "&Body=" + encoded(text)))
                .build();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
