package dev.caravan.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The demo around a relay that is simple enough to be trusted, or broken on purpose. */
class DemoCommandIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void it_ends_with_0_when_everything_arrived() throws Exception {
        int exit = run(NaiveRelay.losing(id -> false), "--messages", "100", "--exit", "--output", "json");

        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(exit).as(out.toString()).isZero();
        assertThat(json.get("good").asBoolean()).isTrue();
        assertThat(json.get("committed").asInt()).isEqualTo(100);
        assertThat(json.get("destinations")).hasSize(4).allSatisfy(destination -> assertThat(
                        destination.get("arrived").asInt())
                .isPositive()
                .isEqualTo(destination.get("expected").asInt()));
    }

    @Tag("long")
    @Test
    void it_ends_with_1_and_says_so_when_the_relay_loses_messages() {
        int exit = run(NaiveRelay.losing(id -> id % 20 == 0), "--messages", "100", "--exit", "--patience", "2");

        assertThat(exit).as(out.toString()).isEqualTo(1);
        assertThat(out.toString()).contains("NOT GOOD");
    }

    @Test
    void options_that_disagree_are_refused_before_anything_starts() {
        int exit = run(
                settings -> {
                    throw new AssertionError("must not start");
                },
                "--exit");

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).contains("--exit needs --messages");
    }

    private int run(DemoRelayStart relay, String... arguments) {
        return new CommandLine(new DemoCommand(relay))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
