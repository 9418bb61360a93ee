package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CaptureBackfillCommandIT extends CommandFixture {
    CaptureBackfillCommandIT() {
        super("capture");
    }

    @Test
    void existing_rows_become_messages_once_and_an_unfinished_backfill_is_shown() throws Exception {
        database.execute(
                "create schema shop; create table shop.bookings (id bigint primary key, status text, seats int, tenant text);"
                        + " insert into shop.bookings select i, 'open', 1, 'acme' from generate_series(1, 25) as i");
        String file =
                Files.writeString(folder.resolve("bookings.yaml"), documented()).toString();

        CommandRun dry = run("backfill", file, "--dry-run");
        assertThat(dry.out())
                .contains(
                        "insert into public.outbox",
                        "/* caravan backfill */ order by",
                        "for share of new",
                        "Would write 25 messages from shop.bookings. Nothing was changed.");
        assertThat(database.number("select count(*) from outbox_backfill")).isZero();

        assertThat(run("backfill", file, "--chunk-size", "10").out())
                .contains("Completed the backfill of bookings: 25 messages from shop.bookings, in ");
        assertThat(
                        database.number(
                                "select count(*) from outbox where type = 'booking.open' and headers ->> 'tenant' = 'acme'"
                                        + " and payload::text = '{\"id\" : ' || aggregate_id || ', \"status\" : \"open\", \"seats\" : 1}'"))
                .isEqualTo(25);
        assertThat(run("backfill", file).out())
                .contains("The backfill of bookings is complete: 25 messages. To send all rows again, add --again");
        assertThat(run("list").out()).contains("complete");

        database.execute("update outbox_backfill set finished_at = null, after_key = '{20}', pass = 1, messages = 20");
        assertThat(run("list").out()).contains("unfinished");
        run("check", file)
                .assertDone("The backfill of bookings is unfinished, after 20 messages."
                        + " To continue it, run: ./caravan capture backfill");
        assertThat(run("backfill", file, "--rate", "1000").out())
                .contains(
                        "Continuing the backfill of bookings after 20 messages.",
                        "Completed the backfill of bookings: 25 messages");

        assertThat(run("backfill", file, "--chunk-size", "0").err())
                .contains("--chunk-size must be between 1 and 100000, got 0.");
    }

    @Test
    void a_terminal_shows_a_bar_and_other_output_has_lines() {
        assertThat(progress(true, 1_000))
                .contains("\r[##########..........] bookings: 50 %, 500 of 1,000 rows, 50 a second, 10s left   ");
        assertThat(progress(false, 1_000))
                .isEqualToIgnoringNewLines("bookings: 50 %, 500 of 1,000 rows, 50 a second, 10s left");
        assertThat(progress(false, 1)).contains("1 of 1 row,");
    }

    private static String progress(boolean onTerminal, long rows) {
        long[] seconds = {0};
        StringWriter out = new StringWriter();
        BackfillProgress progress = new BackfillProgress(
                new PrintWriter(out), onTerminal, "bookings", rows, () -> TimeUnit.SECONDS.toNanos(seconds[0]));
        progress.at(10);
        seconds[0] = 10;
        progress.at(500);
        progress.at(501);
        return out.toString();
    }

    /** The second file of the page. */
    private static String documented() throws Exception {
        String page = Files.readString(Path.of("docs/capture.md"));
        String section = page.substring(page.indexOf("## Existing rows"));
        return section.substring(section.indexOf("```yml\n") + 7, section.indexOf("```\n", section.indexOf("```yml")));
    }
}
