package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.console.http.HttpProblem;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/http-api.md against a relay. */
class HttpApiPageIT {
    private static final Pattern COMMAND = Pattern.compile("(?m)^curl (.*)$");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    @Test
    void every_example_is_answered() throws Exception {
        String page = Files.readString(Path.of("docs/http-api.md"));
        List<String> commands =
                COMMAND.matcher(page).results().map(command -> command.group(1)).toList();
        try (HttpRelay relay = HttpRelay.start(HttpRelay.tokens())) {
            Samples.fill(relay.database);
            relay.database.execute("insert into outbox_subscription (name, position) values ('booking-sms', 900);"
                    + " update outbox_dead_letter set subscription = 'booking-sms', id = 812 where id = 1");

            assertThat(commands).hasSizeGreaterThan(10);
            for (String command : commands) {
                assertThat(relay.send(request(relay, command)).status())
                        .as(command)
                        .isIn(200, 202);
            }
        }
    }

    @Test
    void the_table_of_problems_lists_each_title() throws Exception {
        String page = Files.readString(Path.of("docs/http-api.md"));

        assertThat(Pattern.compile("(?m)^\\| `(\\d+)` \\|")
                        .matcher(page)
                        .results()
                        .map(row -> Integer.parseInt(row.group(1))))
                .containsExactlyElementsOf(HttpProblem.statuses());
    }

    private static HttpRequest.Builder request(HttpRelay relay, String command) {
        List<String> words = WORD.matcher(command)
                .results()
                .map(word -> Stream.of(1, 2, 3)
                        .map(word::group)
                        .filter(each -> each != null)
                        .findFirst()
                        .orElseThrow())
                .map(word -> word.replace("$TOKEN", HttpRelay.TOKEN))
                .toList();
        HttpRequest.Builder request = relay.request(words.get(words.size() - 1).replace("http://localhost:9876", ""));
        for (int i = 0; i < words.size() - 1; i += 2) {
            String value = words.get(i + 1);
            switch (words.get(i)) {
                case "-H" -> request.header(value.split(": ")[0], value.split(": ")[1]);
                case "-o" -> assertThat(value).contains("."); // a file for the response
                case "-d" -> request.POST(BodyPublishers.ofString(value));
                default -> throw new AssertionError("unknown option " + words.get(i));
            }
        }
        return request;
    }
}
