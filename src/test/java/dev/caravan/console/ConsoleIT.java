package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.KeyboardModifier;
import com.microsoft.playwright.options.LoadState;
import com.microsoft.playwright.options.WaitForSelectorState;
import dev.caravan.outbox.ApplicationTransaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a person sees and does in the console, in a real browser, on a real relay and database. The class is long because all tests share
 * one browser, whose start takes seconds.
 */
class ConsoleIT {
    private static final String SCRIPT =
            "<script>window.harmed = true</script><img src=x onerror=\"window.harmed = true\">";

    /** On the wire, for any page with all that it loads. */
    private static final long MOST_BYTES = 300_000;

    @TempDir
    private static Path routes;

    private static final Duration LIMIT_OF_A_TASK = Duration.ofSeconds(30);

    private static ConsoleStage stage;
    private static long letter;
    private static long waiting;

    @BeforeAll
    static void begin() throws Exception {
        Chromium.browser(); // skips before anything is started
        stage = new ConsoleStage(routes, "orders", "sms", "mail");
        letter = stage.dead(
                "sms",
                "order/77",
                "{\"total\": 84.50, \"phone\": \"+4917\", \"long\": 12345678901234567890}",
                "refused");
        waiting = stage.waiting("mail", "order/4711", 2);
        stage.deadMany("orders", 100_000, "broken pipe ");
    }

    @AfterAll
    static void end() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }

    static List<String> pages() {
        return List.of(
                "/",
                "/subscriptions/mail",
                "/dead-letters",
                "/dead-letters/sms/" + letter,
                "/dead-letters/discarded",
                "/retries",
                "/retries?blocked=true",
                "/retries/mail/" + waiting,
                "/find?text=order/4711",
                "/messages",
                "/messages/" + letter,
                "/why/" + waiting,
                "/relays",
                "/routes",
                "/partitions",
                "/audit",
                "/jobs",
                "/help",
                "/help/runbooks/lag-high");
    }

    @Test
    void every_page_shows_without_a_complaint_of_the_browser_on_a_wide_screen() throws Exception {
        try (Visit visit = stage.visit()) {
            everyPageShows(visit, "wide", false);
        }
    }

    @Test
    void every_page_shows_on_a_phone_in_the_dark_and_does_not_scroll_sideways() throws Exception {
        var phone =
                new Browser.NewContextOptions().setColorScheme(ColorScheme.DARK).setViewportSize(360, 740);
        try (Visit visit = stage.visit(ConsoleStage.TOKEN, phone)) {
            everyPageShows(visit, "phone", true);
        }
    }

    private static void everyPageShows(Visit visit, String screen, boolean dark) throws Exception {
        for (String page : pages()) {
            visit.open(page);
            eventually(() -> assertThat(visit.scrollsSideways())
                    .as("%s on a %s screen", page, screen)
                    .isFalse());
            showsIn(visit, dark, page);
            visit.expect("main .failure").hasCount(0);
            assertThat(visit.barriers()).as("%s on a %s screen", page, screen).isEmpty();
            assertThat(visit.bytes()).as("bytes of %s", page).isBetween(1L, MOST_BYTES);
        }
    }

    @Test
    void each_task_of_an_operator_is_at_most_three_clicks_away_from_the_overview_and_done_in_30_s() throws Exception {
        String find = "order/77";
        String dead = ".card:has-text('mail') >> text=/dead/";
        String subscription = ".card h2 >> text=sms";
        long edited = stage.dead("mail", "order/task-edit", "{\"task\": 1}", "no such box");
        for (int i = 0; i < 7; i++) {
            stage.dead("mail", "order/task-" + i, "{\"task\": \"retry " + i + "\"}", "mailbox full");
        }
        stage.insert("sms.sent", "order/task", "{\"task\": \"replay\"}");
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"task\": \"replay\"}"));
        List<Task> tasks = List.of(
                new Task(
                        "find the dead letter of an order",
                        find,
                        List.of("main tbody a.id"),
                        visit -> visit.sees("the amount must be positive")),
                new Task(
                        "edit and retry",
                        "order/task-edit",
                        List.of("main tbody a.id", "text=Show >> nth=0", "text=Edit and retry …"),
                        visit -> {
                            visit.page.locator("textarea[name=payload]").fill("{\"task\": 2}");
                            visit.click("Compare and retry …");
                            visit.agree("Retry with these changes", "the customer corrected it");
                            visit.expecting("404").sees(edited + " will be delivered again with these changes.");
                        }),
                new Task("retry many", null, List.of(dead, "text=Retry all matching …"), visit -> {
                    visit.agree("Retry", "boxes are emptied");
                    visit.page.locator("dialog .job .is-good").waitFor();
                    visit.click("Close");
                    visit.sees("No dead letter matches.");
                }),
                new Task("course of a message", find, List.of("main tbody a.id"), visit -> visit.sees("attempt 10")),
                new Task(
                        "why a key is late",
                        "order/4711",
                        List.of("main tbody a.id >> nth=0", "text=Why is it not delivered?"),
                        visit -> visit.sees("It waits for another attempt")),
                new Task("who holds a gap", null, List.of(subscription), visit -> visit.sees("No id is missing.")),
                new Task("pause and resume", null, List.of(subscription, "text=Pause …"), visit -> {
                    visit.agree("Pause", "gateway moves");
                    visit.sees("sms is paused.");
                    visit.click("Resume …");
                    visit.agree("Resume", "gateway is back");
                    visit.sees("sms is running again.");
                }),
                new Task("replay two hours", null, List.of(subscription), visit -> {
                    visit.page.locator("input[name=since]").fill("2h");
                    visit.click("Count …");
                    visit.agree("Replay", "the receiver lost them");
                    visit.page.locator("dialog .job .is-good").waitFor();
                }),
                new Task(
                        "which relay works what",
                        null,
                        List.of("#navigation >> text=Relays"),
                        visit -> visit.sees("Relays and lanes")),
                new Task("time until the backlog is empty", null, List.of(), visit -> visit.sees("Drained in")));
        try (Visit visit = stage.visit()) {
            for (Task task : tasks) {
                task.run(visit);
            }
            assertThat(stage.dead("mail", "order/task-discard", "{}", "mailbox full"))
                    .isPositive();
            new Task("discard many", null, List.of(dead, "text=Discard all matching …"), page -> {
                        page.agree("Discard", "the boxes are closed");
                        page.page.locator("dialog .job .is-good").waitFor();
                        page.click("Close");
                        page.sees("No dead letter matches.");
                    })
                    .run(visit);
            stage.dead("mail", "order/task-stays", "{}", "mailbox full");
            new Task(
                            "undo a discard",
                            null,
                            List.of(
                                    dead,
                                    "text=Discarded dead letters that are still kept",
                                    "main tbody >> text=Undo …"),
                            page -> {
                                page.agree("Undo the discard", "a box was opened again");
                                page.sees("is a dead letter again.");
                            })
                    .run(visit);
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where subscription = 'mail'"))
                .as("the one that stays, and the one whose discard was undone")
                .isEqualTo(2);
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"task\":2}", "{\"task\": \"retry 6\"}"));
        eventually(() -> assertThat(Gateway.bodies())
                .filteredOn("{\"task\": \"replay\"}"::equals)
                .hasSize(2));
    }

    /**
     * @param find what is typed into the search, if something is
     * @param clicks from the overview to where the work is done
     * @param work what is done there, to its visible result
     */
    private record Task(String name, String find, List<String> clicks, Consumer<Visit> work) {
        void run(Visit visit) {
            assertThat(clicks).as(name).hasSizeLessThanOrEqualTo(3);
            assertTimeout(
                    LIMIT_OF_A_TASK,
                    () -> {
                        visit.open("/");
                        if (find != null) {
                            visit.page.locator("[data-search]").fill(find);
                            visit.page.keyboard().press("Enter");
                            visit.page.locator("main tbody tr").first().waitFor();
                        }
                        clicks.forEach(
                                click -> visit.page.locator(click).first().click());
                        work.accept(visit);
                    },
                    name);
        }
    }

    private static void showsIn(Visit visit, boolean dark, String what) throws Exception {
        eventually(
                () -> assertThat(brightness(visit) < 0.5).as("%s is dark", what).isEqualTo(dark));
    }

    @Test
    void the_page_of_a_dead_letter_begins_with_the_answer_and_lists_its_attempts() {
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + letter)) {
            visit.expect("main .panel >> nth=0").containsText("the amount must be positive");
            Locator attempts = visit.page.locator("section[aria-label=Attempts] li");
            PlaywrightAssertions.assertThat(attempts).containsText(new String[] {
                "attempt 1 by relay-2 failed after 30s", "8 attempts not stored", "attempt 10"
            });

            visit.open("/messages/" + letter);
            visit.expect(".timeline").containsText("attempt 10 by relay-1 failed after 230ms");
        }
    }

    @Test
    void the_page_of_a_message_leads_to_why_it_is_not_delivered_and_to_the_next_command() {
        try (Visit visit = stage.visit().open("/messages/" + (waiting + 1))) {
            visit.page.locator("a:has-text('Why is it not delivered?')").click();

            visit.expect("section[aria-label=mail]")
                    .containsText("It waits behind 1 message of its key; the first one is " + waiting);
            visit.expect("section[aria-label=mail] .copyable >> nth=0")
                    .containsText("./caravan retries show mail " + waiting);
            visit.open("/why/order%2F4711");
            visit.expect("section[aria-label=mail]").containsText("It waits for another attempt");
        }
    }

    @Test
    void missing_ids_are_listed_with_the_transaction_that_may_write_them_and_how_to_end_it() throws Exception {
        try (ApplicationTransaction transaction = stage.begin();
                Visit visit = stage.visit()) {
            long missing = transaction.insert("77");
            stage.insert("mail.sent", "order/of-gap", "{}");
            visit.open("/subscriptions/mail");

            visit.expect("table[aria-label='Ranges of missing ids']").containsText(Long.toString(missing));
            visit.expect("table[aria-label='Open transactions that wrote to the outbox']")
                    .containsText(Pattern.compile(
                            "postgres.*for \\d+m?s.*insert into outbox.*pg_terminate_backend\\(\\d+\\)"));
        }
    }

    @Test
    void an_unavailable_database_is_reported_with_its_time_and_old_data_is_grey() throws Exception {
        try (Visit visit = stage.visit().open("/")) {
            visit.expect(".verdict").containsText(Pattern.compile("\\S"));
            stage.refuseConnections();
            try {
                visit.expect(".verdict").containsText("down: the database has been unavailable since 20");
                visit.expect(".no-answer")
                        .containsText(Pattern.compile("The database is unavailable.*For \\d+(s|ms).*grey data"));
                visit.expect(".old .card >> nth=0").isVisible();
            } finally {
                stage.acceptConnections();
            }
            visit.expect(".old").hasCount(0);
        }
    }

    @Test
    void the_overview_tells_the_verdict_and_has_a_card_for_each_subscription() {
        try (Visit visit = stage.visit().open("/")) {
            for (String name : List.of("orders", "sms", "mail")) {
                visit.page
                        .locator(".card", new Page.LocatorOptions().setHasText(name))
                        .waitFor();
            }
            visit.expect(".verdict").containsText(Pattern.compile("\\S"));
            visit.expect(".chart canvas").hasCount(3);
            visit.expect(".card:has-text('orders')").containsText("10,000+ dead");
        }
    }

    @Test
    void the_course_of_a_day_and_of_a_week_is_drawn_from_what_all_relays_stored() {
        stage.jdbc()
                .update(
                        "insert into outbox_history (at, subscription, delivered, lag_seconds, backlog)"
                                + " select date_bin('5 minutes', now(), '2000-01-01Z') - n * interval '5 minutes', name, 100000 - n * 300, n, 0"
                                + " from generate_series(0, 200) n, (values ('orders'), ('sms'), ('mail')) names (name) on conflict do nothing");
        try (Visit visit = stage.visit().open("/")) {
            for (String period : List.of("24 h", "7 d", "1 h")) {
                visit.follow(period);
                visit.expect(".choices [aria-current]").hasText(period);
                visit.expect(".chart canvas").hasCount(3);
                visit.expect(".u-legend tr:has-text('sms') .u-value >> nth=0").hasText(Pattern.compile("[\\d.]+"));
            }
        }
    }

    @Test
    void ticks_next_to_each_other_have_different_labels_and_a_legend_shows_the_latest_known_value() {
        try (Visit visit = stage.visit().open("/jobs")) {
            Object wrong = visit.page.evaluate("""
                    async () => {
                      const { FIELDS, TIME_STEPS, timeLabels, shownValue } = await import('/console/js/chart.js');
                      const wrong = [];
                      const check = (name, labels) => labels.some((label, i) => label === '' || label === labels[i - 1]) && wrong.push(name + ': ' + labels);
                      for (const [name, { tick, steps }] of Object.entries(FIELDS)) {
                        steps.forEach(step => check(name, [0, 1, 2, 3, 4].map(i => tick(i * step, step))));
                      }
                      const midnight = Date.parse('2026-03-01T00:00:00Z') / 1000;
                      TIME_STEPS.forEach(step => check('time', timeLabels([0, 1, 2, 3, 4].map(i => midnight + i * step))));
                      const shown = [shownValue([1, 2, null], null), shownValue([1, 2, null], 0), shownValue([], null)];
                      return JSON.stringify({ wrong, shown });
                    }""");
            assertThat(wrong).isEqualTo("{\"wrong\":[],\"shown\":[2,1,null]}");
        }
    }

    @Test
    void a_job_shows_how_far_it_is_and_why_it_ended() {
        try (Visit visit = stage.visit().open("/jobs")) {
            Object shown = visit.page.evaluate("""
                    async () => {
                      const { html, render } = await import('/console/lib/htm-preact.js');
                      const { JobProgress, Bar } = await import('/console/js/job.js');
                      const text = vnode => { const box = document.createElement('div'); render(vnode, box); return box; };
                      const job = { id: 1, action: 'retry', state: 'failed', done: 3, total: 10, error: 'refused again' };
                      const failed = text(html`<${JobProgress} job=${job} />`);
                      const waiting = text(html`<${Bar} job=${{ ...job, state: 'running', total: null }} />`);
                      const unknown = text(html`<${Bar} job=${{ ...job, total: null }} />`);
                      return JSON.stringify([failed.textContent.replace(/\\s+/g, ' ').trim(), failed.querySelector('progress').value,
                          waiting.querySelector('progress').hasAttribute('value'), unknown.querySelector('progress')]);
                    }""");
            assertThat(shown).isEqualTo("[\"failed retry 3 of 10refused again\",3,false,null]");
        }
    }

    @Test
    void many_subscriptions_are_a_map_from_the_outbox_to_their_destinations() {
        stage.jdbc()
                .update(
                        "insert into outbox_subscription (name, position) select 'many-' || n, 0 from generate_series(1, 4) n");
        try (Visit visit = stage.visit().open("/")) {
            visit.expect(".overview-map .flow-branches > li").hasCount(7);
            visit.expect(".overview-map li >> nth=0").containsText("no relay"); // who needs somebody is first
            visit.expect(".overview-map").containsText(Pattern.compile("orders.*10,000\\+ dead"));
            visit.expect(".card").hasCount(0);
            assertThat(visit.scrollsSideways()).isFalse();
            assertThat(visit.barriers()).isEmpty();
        } finally {
            stage.jdbc().update("delete from outbox_subscription where name like 'many-%'");
        }
    }

    @Test
    void the_drawing_of_the_routes_leads_to_each_subscription_and_has_a_table() {
        try (Visit visit = stage.visit().open("/routes")) {
            visit.expect(".flow-branches > li").hasCount(3);
            visit.expect(".flow-branches > li:has-text('orders.camel.yaml')").containsText("orders.*");
            visit.expect(".flow-branches > li:has-text('orders.camel.yaml') .flow-figures")
                    .containsText(Pattern.compile("/s.*lag"));
            visit.expect("table[aria-label='All routes'] tbody tr").hasCount(4);
            visit.page.locator(".flow-figures").first().click();
            visit.expect("h1").containsText("mail");
        }
    }

    @Test
    void a_person_pauses_and_resumes_a_subscription_and_the_audit_says_who_and_why() throws Exception {
        try (Visit visit = stage.visit().open("/subscriptions/sms")) {
            visit.click("Pause …");
            visit.agree("Pause", "gateway moves");
            visit.sees("sms is paused.");
            visit.click("Undo");
            visit.sees("Undone: Pause sms.");
            visit.click("Pause …");
            visit.agree("Pause", "gateway moves");
            visit.click("Resume …");
            visit.agree("Resume", "gateway is back");
            visit.sees("sms is running again.");
            visit.follow("See the audit");
            visit.sees("gateway moves");
            visit.sees("anna");
        }
        assertThat(stage.count("select count(*) from outbox_subscription where name = 'sms' and paused"))
                .isZero();
    }

    @Test
    void the_dead_letter_of_an_order_is_found_by_its_key_and_retried() throws Exception {
        long id = stage.dead("sms", "order/88", "{\"found\": 88}", "refused");
        try (Visit visit = stage.visit().open("/")) {
            visit.page.keyboard().press("/");
            visit.expect("[data-search]").isFocused();
            visit.page.keyboard().type("order/88");
            visit.page.keyboard().press("Enter");
            visit.follow(Long.toString(id));
            visit.sees("refused");
            visit.click("Retry …");
            visit.agree("Retry", "gateway accepts it now");
            visit.sees(id + " will be delivered again.");
            visit.expecting("404").sees("is not a dead letter; last change: retry by anna");
            assertThat(visit.page.locator("main").innerText()).doesNotContain("Nothing was changed");
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"found\": 88}"));
    }

    @Test
    void an_edited_dead_letter_shows_what_differs_and_keeps_every_digit_of_the_rest() throws Exception {
        long id = stage.dead(
                "mail",
                "order/89",
                "{\"total\": 84.50, \"long\": 12345678901234567890, \"to\": \"wrong\"}",
                "no such box");
        try (Visit visit = stage.visit().open("/dead-letters/mail/" + id)) {
            assertThat(visit.page.content()).doesNotContain("84.50");
            visit.click("Show");
            visit.sees("12345678901234567890");
            visit.click("Edit and retry …");
            Locator editor = visit.page.locator("textarea[name=payload]");
            editor.fill("{ broken");
            visit.expect("button:has-text('Compare and retry')").isDisabled();
            editor.fill("{\"total\": 84.50, \"long\": 12345678901234567890, \"to\": \"right\"}");
            visit.click("Compare and retry …");
            visit.expect(".diff tbody tr").hasCount(1);
            visit.expect(".diff tbody tr").containsText(Pattern.compile("wrong.*right", Pattern.DOTALL));
            visit.agree("Retry with these changes", "the customer corrected it");
            visit.sees("will be delivered again with these changes.");
            visit.expecting("404");
        }
        eventually(() -> assertThat(Gateway.bodies()).anyMatch(body -> body.replace(" ", "")
                .equals("{\"total\":84.50,\"long\":12345678901234567890,\"to\":\"right\"}")));
    }

    @Test
    void bytes_are_shown_in_hexadecimal_and_only_their_headers_are_edited() {
        long id = stage.deadBinary("mail", "order/88", new byte[] {0, -1, 'A', '<'});
        try (Visit visit = stage.visit().open("/dead-letters/mail/" + id)) {
            visit.click("Show");
            visit.sees("Binary, 4 bytes");
            visit.expect("pre.payload").containsText(Pattern.compile("^00000000  00 ff 41 3c +\\|\\.\\.A<\\|$"));
            visit.click("Edit and retry …");
            visit.sees("The payload is binary and cannot be edited here.");
            visit.expect("textarea[name=payload]").hasCount(0);
            visit.expect("textarea[name=headers]").hasCount(1);
        }
    }

    @Test
    void masked_fields_are_not_shown() {
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + letter)) {
            visit.click("Show");
            visit.sees("•••");
            visit.sees("84.50");
            assertThat(visit.page.content()).doesNotContain("+4917");
        }
    }

    @Test
    void what_would_be_sent_for_a_dead_letter_is_shown_before_a_retry() {
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + letter)) {
            visit.click("Show what would be sent");
            visit.expect("section[aria-label='What would be sent'] .facts").containsText("delivered");
            assertThat(visit.page.content()).doesNotContain("+4917");
        }
    }

    @Test
    void a_dead_letter_is_discarded_for_a_reason_only_and_the_discard_is_undone_at_once_or_later() {
        long id = stage.dead("sms", "order/90", "{}", "refused");
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + id)) {
            visit.click("Discard …");
            visit.page.locator("dialog input[name=by]").fill("anna");
            visit.click("Discard");
            assertThat(stage.count("select count(*) from outbox_dead_letter where id = ?", id))
                    .isEqualTo(1);
            visit.agree("Discard", "order was cancelled");
            visit.sees(id + " is discarded.");
            assertThat(stage.count("select count(*) from outbox_dead_letter where id = ?", id))
                    .isZero();
            visit.click("Undo");
            visit.sees("Undone");
            visit.open("/dead-letters/sms/" + id);
            visit.click("Discard …");
            visit.agree("Discard", "order was cancelled");
            visit.sees(id + " is discarded.");
            visit.open("/messages/" + id).follow("show");
            visit.expect("h1").hasText("Discarded dead letters");
            visit.expect("tbody tr").containsText("order was cancelled");
            visit.click("Undo …");
            visit.agree("Undo the discard", "order was not cancelled");
            visit.sees(id + " is a dead letter again.");
            visit.expecting("404");
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where id = ?", id))
                .isEqualTo(1);
    }

    @Test
    void all_dead_letters_that_match_are_counted_and_then_retried() throws Exception {
        for (int i = 0; i < 3; i++) {
            stage.dead("mail", "order/bulk", "{\"bulk\": " + i + "}", "mailbox full");
        }
        try (Visit visit = stage.visit().open("/dead-letters?subscription=mail&error=mailbox+full")) {
            visit.click("Retry all matching …");
            visit.agree("Retry 3 dead letters", "boxes are emptied");
            visit.sees("3 of 3");
            visit.page.locator("dialog .is-good").waitFor();
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"bulk\": 0}", "{\"bulk\": 1}", "{\"bulk\": 2}"));
    }

    @Test
    void selected_rows_are_retried_and_the_others_stay() throws Exception {
        for (int i = 0; i < 4; i++) {
            stage.dead("mail", "order/pick", "{\"pick\": " + i + "}", "pick me");
        }
        try (Visit visit = stage.visit().open("/dead-letters?subscription=mail&error=pick+me")) {
            Locator boxes = visit.page.locator("[data-pick]");
            boxes.nth(1).click();
            boxes.nth(3).click(new Locator.ClickOptions().setModifiers(List.of(KeyboardModifier.SHIFT)));
            visit.expect(".bulk").containsText("3 selected");
            visit.click("Retry …");
            visit.agree("Retry 3 dead letters", "boxes are emptied");
            visit.sees("3 of 3");
            visit.page.locator("dialog .is-good").waitFor();
            visit.click("Close");
            visit.expect(".bulk").isEmpty();
            visit.expect("[data-pick]").hasCount(1);
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"pick\": 0}", "{\"pick\": 1}", "{\"pick\": 2}"));
        assertThat(Gateway.bodies()).doesNotContain("{\"pick\": 3}");
        assertThat(stage.count("select count(*) from outbox_bulk_retry where cardinality(ids) = 3 and delivered = 3"))
                .as("bulk retries that observe the outcome of the selected ones")
                .isEqualTo(1);
    }

    @Test
    void rows_are_selected_with_keys_and_all_that_match_are_counted() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            visit.page.locator("[data-pick]").nth(40).waitFor();
            visit.page.locator("table.selectable tbody a").first().focus();
            for (String key : List.of("x", "n", "n", "Shift+X")) {
                visit.page.keyboard().press(key);
            }
            visit.expect(".bulk").containsText("3 selected");
            visit.page.keyboard().press("Shift+A");
            visit.expect(".bulk").containsText("50 selected");
            visit.click("Select all that match");
            visit.expect(".bulk").containsText(Pattern.compile("All (of more than )?[\\d,]+ that match selected"));
            visit.page.keyboard().press("b");
            visit.page.keyboard().press("Enter");
            visit.expect("dialog h2").hasText("Retry all matching dead letters");
            visit.page.keyboard().press("Escape");
            visit.click("Clear");
            visit.expect("tr.selected").hasCount(0);
        }
    }

    @Test
    void rows_columns_and_times_are_those_that_were_chosen_also_the_next_time() {
        var far = new Browser.NewContextOptions().setTimezoneId("Asia/Kolkata");
        try (Visit visit = stage.visit(ConsoleStage.TOKEN, far).open("/dead-letters?subscription=orders")) {
            visit.page.locator("[data-pick]").first().waitFor();
            visit.page.keyboard().press("v");
            visit.page.locator(".view select[name=rows]").selectOption("25");
            visit.page.locator(".view select[name=density]").selectOption("compact");
            visit.page.locator(".view select[name=times]").selectOption("time");
            visit.page.locator(".view select[name=zone]").selectOption("local");
            visit.page.locator(".view label:has-text('Attempts') input").uncheck();
            for (int i = 0; i < 2; i++) {
                visit.expect("table.compact [data-pick]").hasCount(25);
                visit.expect("table.compact tbody tr >> nth=0").containsText(Pattern.compile("\\d:\\d\\d \\+05:30"));
                visit.expect("table.compact thead:has-text('Attempts')").hasCount(0);
                visit.open("/dead-letters?subscription=orders");
            }
        }
    }

    @Test
    void a_heading_sorts_the_whole_list_where_the_relay_can_and_else_says_that_it_sorts_the_page() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            Locator first = visit.page.locator("table.selectable tbody tr:first-child a.id");
            Locator message = visit.page.locator("table.selectable .sort:has-text('Message')");
            PlaywrightAssertions.assertThat(first).hasText("10000001");
            message.click();
            PlaywrightAssertions.assertThat(first).hasText(deadOrder("id", 0));
            message.click();
            PlaywrightAssertions.assertThat(first).hasText(deadOrder("id desc", 0));
            visit.follow("Next page");
            PlaywrightAssertions.assertThat(first).hasText(deadOrder("id desc", 50));
            message.click();
            PlaywrightAssertions.assertThat(first).hasText("10000001");
            visit.page.locator("table.selectable .sort:has-text('Type')").click();
            visit.sees("Sorted by Type within this page; the list has more rows.");
        }
    }

    private static String deadOrder(String order, int before) {
        return String.valueOf(stage.count("select id from outbox_dead_letter where subscription = 'orders' order by "
                + order + " limit 1 offset " + before));
    }

    @Test
    void the_first_rows_of_100_000_are_there_in_300_ms() {
        try (Visit visit = stage.visit().open("/dead-letters")) {
            List<Double> millis = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Response rows = visit.page.waitForResponse(
                        Pattern.compile("/api/dead-letters\\?"), () -> visit.open("/dead-letters"));
                visit.page.locator("table.selectable tbody tr").first().waitFor();
                rows.finished();
                millis.add(rows.request().timing().responseEnd);
            }
            assertThat(millis).as("the fastest of five answers").anyMatch(each -> each < 300);
        }
    }

    @Test
    void the_focus_stays_where_a_person_puts_it_when_a_question_gets_its_fields() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders&error=broken+pipe+f")) {
            whenItAppears(visit, "dialog input", "() => mark('focus-' + document.activeElement.name)");
            visit.click("Retry all matching …");
            visit.expect("html").hasAttribute("data-mark", "focus-rate"); // and not some time after the fields appeared
        }
    }

    @Test
    void what_a_person_types_as_soon_as_a_filter_appears_stays() {
        try (Visit visit = stage.visit().open("/")) {
            whenItAppears(visit, "input[name=key]", """
                    field => {
                        field.value = 'order/77';
                        field.dispatchEvent(new Event('input', {bubbles: true}));
                        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => mark('drawn'))));
                    }""");
            visit.page.locator("nav a[href$='/retries']").click();
            visit.expect("html").hasAttribute("data-mark", "drawn");
            visit.expect("input[name=key]").hasValue("order/77");
        }
    }

    /** Runs a function of an element when the element appears, before the browser draws it. It can mark the page. */
    private static void whenItAppears(Visit visit, String selector, String function) {
        visit.page.evaluate("""
                selector => {
                    const mark = text => document.documentElement.dataset.mark = text;
                    const seen = %s;
                    new MutationObserver((changes, observer) => {
                        const element = document.querySelector(selector);
                        if (element) {
                            observer.disconnect();
                            seen(element);
                        }
                    }).observe(document.body, {childList: true, subtree: true});
                }""".formatted(function), selector);
    }

    @Test
    void work_on_many_messages_can_be_stopped() throws Exception {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders&error=broken+pipe+f")) {
            visit.click("Discard all matching …");
            visit.page.locator("dialog input[name=rate]").fill("1");
            visit.agree("Discard ", "they are tests");
            visit.click("Cancel the job");
            visit.page.locator("dialog").getByText("cancelled").waitFor();
            visit.click("Close");
            visit.open("/jobs");
            visit.page.locator("main").getByText("cancelled").first().waitFor();
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where subscription = 'orders'"))
                .isGreaterThan(99_000);
    }

    @Test
    void a_bulk_retry_is_paused_resumed_and_cancelled_on_the_page_of_jobs() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders&error=broken+pipe+g")) {
            visit.click("Retry all matching …");
            visit.page.locator("dialog input[name=rate]").fill("1");
            visit.agree("Retry ", "the gateway is back");
            visit.page.locator("dialog .job").waitFor();
            visit.click("Close");
            visit.open("/jobs");
            String newest = "section[aria-label='Bulk retries of dead letters'] tbody tr >> nth=0";
            for (String[] change : new String[][] {
                {"Pause", "is paused.", "paused"},
                {"Resume", "is running.", "running"},
                {"Cancel", "is cancelled.", "cancelled"}
            }) {
                visit.page.locator(newest + " >> text=" + change[0] + " …").click();
                visit.agree(change[0], "one by one");
                visit.sees(change[1]);
                visit.expect(newest + " >> .state").hasText(change[2]);
            }
            visit.expect(newest + " >> button").hasCount(0);
        }
        assertThat(stage.count("select count(distinct detail ->> 'change') from outbox_audit"
                        + " where reason = 'one by one' and who = 'anna' and subscription = 'orders'"))
                .isEqualTo(3);
    }

    @Test
    void one_hundred_thousand_dead_letters_are_grouped_listed_and_paged() throws Exception {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            long start = System.nanoTime();
            visit.page.reload();
            visit.page.locator("main table").nth(1).waitFor();
            assertThat(System.nanoTime() - start).isLessThan(40_000_000_000L); // a fraction of it on an idle machine
            Locator groups = visit.page.locator("main table").nth(0).locator("tbody tr");
            Locator letters = visit.page.locator("main table").nth(1).locator("tbody tr");
            eventually(() -> assertThat(groups.count()).isBetween(7, 20));
            PlaywrightAssertions.assertThat(letters).hasCount(50);
            String first = letters.first().textContent();
            visit.follow("Next page");
            visit.page.getByText("First page").waitFor();
            PlaywrightAssertions.assertThat(letters.first()).not().hasText(first);
        }
    }

    @Test
    void a_waiting_message_is_tried_now_or_given_up() throws Exception {
        long tried = stage.waiting("sms", "order/91", 0);
        long givenUp = stage.waiting("sms", "order/92", 1);
        try (Visit visit = stage.visit().open("/retries?subscription=sms")) {
            visit.follow(Long.toString(tried));
            visit.click("Retry now …");
            visit.agree("Retry now", "it is mended");
            visit.sees(tried + " is retried now.");
            visit.expecting("404").open("/retries/sms/" + givenUp);
            visit.click("Give up …");
            visit.agree("Give up", "wrong number");
            visit.sees(givenUp + " is a dead letter now.");
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where id = ?", givenUp))
                .isEqualTo(1);
        eventually(() -> assertThat(stage.count("select count(*) from outbox_retry where subscription = 'sms'"))
                .isZero());
    }

    @Test
    void all_that_wait_and_match_are_counted_and_then_tried_now_or_given_up() throws Exception {
        stage.waiting("sms", "order/96", 0);
        stage.waiting("sms", "order/97", 0);
        try (Visit visit = stage.visit().open("/retries?subscription=sms")) {
            visit.click("Retry all matching now …");
            visit.agree("Retry 2 waiting messages", "the gateway is mended");
            visit.sees("2 of 2");
            visit.page.locator("dialog .is-good").waitFor();
            eventually(() -> assertThat(stage.count("select count(*) from outbox_retry where subscription = 'sms'"))
                    .isZero());

            long one = stage.waiting("sms", "order/98", 0);
            long other = stage.waiting("sms", "order/99", 0);
            visit.open("/retries?subscription=sms");
            visit.click("Give up all matching …");
            visit.agree("Give up 2 waiting messages", "the numbers are wrong");
            visit.sees("2 of 2");
            visit.page.locator("dialog .is-good").waitFor();
            assertThat(stage.count("select count(*) from outbox_dead_letter where id in (?, ?)", one, other))
                    .isEqualTo(2);
        }
    }

    @Test
    void the_colours_are_those_that_were_chosen_also_the_next_time() throws Exception {
        try (Visit visit =
                stage.visit(ConsoleStage.TOKEN, new Browser.NewContextOptions()).open("/")) {
            for (boolean dark : new boolean[] {true, false}) {
                visit.page.locator(".settings select").selectOption(dark ? "dark" : "light");
                showsIn(visit, dark, "the overview");
                visit.open("/audit");
                showsIn(visit, dark, "after the next start, the audit");
            }
        }
    }

    @Test
    void a_blocked_key_shows_how_many_wait_behind_it() {
        try (Visit visit = stage.visit().open("/subscriptions/mail")) {
            Locator row = visit.page.locator("tr", new Page.LocatorOptions().setHasText("order/4711"));
            PlaywrightAssertions.assertThat(row).containsText(Long.toString(waiting));
            PlaywrightAssertions.assertThat(row).containsText("broken pipe");
            PlaywrightAssertions.assertThat(row.locator("td").nth(4)).hasText("2");
            visit.open("/retries?blocked=true&subscription=mail");
            visit.expect("main table tbody tr").hasCount(2);
            assertThat(visit.page.locator("main button").allInnerTexts()).noneMatch(text -> text.startsWith("Give up"));
        }
    }

    @Test
    void a_key_that_a_dead_letter_blocks_leads_to_that_dead_letter() {
        stage.jdbc()
                .update("insert into outbox_subscription (name, position) values ('stuck', 0)"); // no relay works it
        long dead = stage.dead("stuck", "order/4712", "{}", "no such mailbox");
        stage.blocked("stuck", "order/4712");
        try (Visit visit = stage.visit().open("/")) {
            visit.sees("1 key blocked by dead letters");
            visit.page.getByText("1 key blocked by dead letters").last().click();
            visit.expect("#blocked-keys").containsText("dead letter " + dead);
            visit.page.locator("#blocked-keys").getByText("dead letter " + dead).click();
            visit.sees("no such mailbox");
        } finally {
            for (String table : List.of("outbox_retry", "outbox_dead_letter")) {
                stage.jdbc().update("delete from " + table + " where subscription = 'stuck'");
            }
            stage.jdbc().update("delete from outbox_subscription where name = 'stuck'");
        }
    }

    @Test
    void what_is_known_about_a_group_of_dead_letters_is_noted() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            visit.page.getByText("Add …").first().click();
            visit.page.locator("dialog input[name=note]").fill("OPS-7");
            visit.page.locator("dialog input[name=known]").check();
            visit.agree("Save", "asked");
            visit.sees("The note is stored.");
            visit.expect(".mark").containsText(Pattern.compile("known OPS-7 anna"));
            visit.page.locator("a.error-text").first().click();
            visit.expect("input[name=group]").hasValue(Pattern.compile("[0-9a-f]{16}"));
        }
    }

    @Test
    void one_search_finds_what_is_dead_and_what_waits_with_its_state() {
        try (Visit visit = stage.visit().open("/")) {
            visit.page.keyboard().press("/");
            visit.page.keyboard().type("order/4711");
            visit.page.keyboard().press("Enter");
            visit.expect("main tbody tr >> nth=0").containsText(Pattern.compile("waiting.*" + waiting));
            visit.expect("main tbody tr:has-text('blocked')").hasCount(2);
            visit.expect("main tbody tr:has-text('dead')").hasCount(10);
            visit.open("/find?text=refused");
            visit.expect("main tbody tr:has-text('order/77')").containsText("dead");
        }
    }

    @Test
    void a_time_is_written_as_an_age_or_picked() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            visit.page.locator("input[name=since]").fill("2h");
            visit.page.locator("input[name=since]").press("Enter");
            visit.sees("No dead letter matches.");
            visit.expect("main .failure").hasCount(0);
            visit.page
                    .locator(".filter:has(input[name=since]) input[type=datetime-local]")
                    .evaluate(
                            "field => { field.value = '2026-01-31T12:30'; field.dispatchEvent(new Event('change', {bubbles: true})) }");
            visit.expect("input[name=since]").hasValue(Pattern.compile("2026-01-3\\dT\\d\\d:30Z"));
        }
    }

    @Test
    void a_replay_is_counted_first() throws Exception {
        for (int i = 0; i < 3; i++) {
            stage.insert("sms.sent", "order/93", "{\"replayed\": " + i + "}");
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"replayed\": 2}"));
        try (Visit visit = stage.visit().open("/subscriptions/sms")) {
            visit.page.locator("input[name=key]").fill("order/93");
            visit.page.locator("input[name=type]").fill("sms.*");
            visit.click("Count …");
            visit.agree("Replay 3 delivered messages", "the receiver lost them");
            visit.sees("3 of 3");
        }
        eventually(() -> assertThat(Gateway.bodies())
                .filteredOn(body -> body.contains("replayed"))
                .hasSize(6));
    }

    @Test
    void lanes_are_changed() throws Exception {
        try (Visit visit = stage.visit().open("/subscriptions/mail")) {
            for (String lanes : List.of("2", "1")) {
                visit.click("Change lanes …");
                visit.page.locator("dialog input[name=lanes]").fill(lanes);
                visit.agree("Change lanes", "a try");
                visit.page.locator("dialog .job .is-good").waitFor();
                visit.click("Close");
                eventually(() -> assertThat(stage.count("select count(*) from outbox_subscription where name = 'mail'"))
                        .isEqualTo(Long.parseLong(lanes)));
            }
        }
    }

    @Test
    void a_message_is_searched_further_back_and_tells_its_course() throws Exception {
        long old = stage.insert("sms.sent", "order/94", "{}");
        stage.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type) select 'noise', n::text, 'none.at-all' from generate_series(1, 60000) n");
        try (Visit visit = stage.visit().open("/messages?key=order/94")) {
            visit.click("Search older messages");
            visit.follow(Long.toString(old));
            visit.sees("inserted into the outbox");
            visit.page
                    .locator("main tr", new Page.LocatorOptions().setHasText("sms"))
                    .getByText("delivered")
                    .waitFor();
            visit.page
                    .locator("main tr", new Page.LocatorOptions().setHasText("mail"))
                    .getByText("not selected")
                    .waitFor();
        }
    }

    @Test
    void what_looks_like_a_script_in_a_message_is_shown_as_text() {
        long id = stage.dead(
                "sms", "order/" + SCRIPT.replace("/", ""), "{\"note\": \"" + SCRIPT.replace("\"", "'") + "\"}", SCRIPT);
        try (Visit visit = stage.visit().open("/dead-letters?subscription=sms")) {
            visit.sees("<script>window.harmed");
            visit.open("/dead-letters/sms/" + id);
            visit.click("Show");
            visit.page.locator(".payload").waitFor();
            visit.open("/messages/" + id);
            visit.sees("<script>window.harmed");
            assertThat(visit.page.evaluate("window.harmed === undefined")).isEqualTo(true);
        }
    }

    @Test
    void a_wrong_token_is_refused_and_the_right_one_lets_in() {
        try (Visit visit = stage.visit("", new Browser.NewContextOptions()).expecting("401")) {
            visit.open("/dead-letters");
            visit.page.locator("input[name=token]").fill("a-wrong-token-of-tests");
            visit.click("Sign in");
            visit.sees("does not accept this token");
            visit.page.locator("input[name=token]").fill(ConsoleStage.TOKEN);
            visit.click("Sign in");
            visit.page.locator("main table").first().waitFor();
            visit.click("Sign out");
            visit.page.locator("input[name=token]").waitFor();
        }
    }

    @Test
    void a_reader_sees_everything_but_payloads_and_buttons() {
        try (Visit visit = stage.visit(ConsoleStage.READ_TOKEN, new Browser.NewContextOptions())) {
            for (String page : List.of(
                    "/subscriptions/mail",
                    "/dead-letters",
                    "/dead-letters/sms/" + letter,
                    "/retries",
                    "/retries/mail/" + waiting)) {
                visit.open(page);
                assertThat(visit.page
                                .locator("main button:not(.time-picker button, .sort)")
                                .allInnerTexts())
                        .as(page)
                        .allMatch(List.of("Search", "Search older messages")::contains);
            }
        }
    }

    @Test
    void a_person_whom_a_proxy_names_sees_what_the_role_permits_and_is_not_asked_for_a_name() throws Exception {
        var support = new Browser.NewContextOptions()
                .setExtraHTTPHeaders(Map.of("X-Forwarded-User", "carla", "X-Forwarded-Groups", "support"));
        try (Visit visit = stage.visit("", support).open("/subscriptions/mail")) {
            visit.expect(".settings").containsText("You are carla");
            visit.expect("button:has-text('Change lanes')").hasCount(0);
            visit.click("Pause …");
            visit.expect("dialog input[name=by]").hasCount(0);
            visit.page.locator("dialog button.primary").click();
            visit.sees("mail is paused.");
            visit.page.locator(".toast").getByText("Undo").click();
            visit.sees("Undone: Pause mail.");
            visit.open("/audit");
            visit.expect("tbody tr >> nth=0").containsText("carla via proxy");
        }
    }

    @Test
    void where_people_sign_in_the_console_leads_there_and_a_token_is_still_accepted() {
        try (Visit visit = stage.visit("", new Browser.NewContextOptions()).expecting("401")) {
            visit.page.route(
                    "**/api/me",
                    route -> route.fulfill(new Route.FulfillOptions()
                            .setStatus(401)
                            .setContentType("application/problem+json")
                            .setBody("{\"status\":401,\"title\":\"Token required\",\"signIn\":\"/auth/login\"}")));
            visit.open("/dead-letters?subscription=sms");

            PlaywrightAssertions.assertThat(visit.page.locator("a:text-is('Sign in')"))
                    .hasAttribute("href", "/auth/login?to=%2Fconsole%2Fdead-letters%3Fsubscription%3Dsms");
            visit.expect("input[name=token]").isVisible();
        }
    }

    @Test
    void everything_can_be_done_with_keys() {
        try (Visit visit = stage.visit().open("/")) {
            visit.page.keyboard().press("Tab");
            visit.expect(":focus").hasText("Skip to content");
            visit.page.keyboard().press("?");
            visit.sees("Next, previous row");
            visit.page.keyboard().press("Escape");
            visit.expect("dialog[open]").hasCount(0);
            visit.page.keyboard().press("g");
            visit.page.keyboard().press("d");
            visit.page.locator("main table").nth(1).waitFor();
            visit.expect("h1").isFocused();
            visit.page.keyboard().press("n");
            visit.page.keyboard().press("Enter");
            visit.page.getByText("Clear").waitFor();
            visit.open("/dead-letters/sms/" + letter);
            Locator retry = visit.page.getByRole(
                    AriaRole.BUTTON,
                    new Page.GetByRoleOptions().setName("Retry …").setExact(true));
            retry.focus();
            visit.page.keyboard().press("Enter");
            visit.expect("dialog :focus").hasCount(1);
            visit.page.keyboard().press("Escape");
            PlaywrightAssertions.assertThat(retry).isFocused();
        }
    }

    @Test
    void a_relay_that_does_not_answer_is_told_until_it_is_back() {
        try (Visit visit = stage.visit().expecting("Failed to load resource").open("/")) {
            visit.page.locator(".card").first().waitFor();
            stage.stopRelay();
            try {
                visit.sees("The relay does not answer.");
                visit.sees("No answer for");
                visit.expect(".card").hasCount(3); // what was known stays
            } finally {
                stage.startRelay();
            }
            visit.page
                    .locator(".no-answer")
                    .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
        }
    }

    @Test
    void nothing_is_asked_while_nobody_looks_and_never_twice_at_a_time() throws Exception {
        try (Visit visit = stage.visit()) {
            visit.page.clock().install();
            visit.open("/");
            visit.page.locator(".card").first().waitFor();
            List<String> asked = new CopyOnWriteArrayList<>();
            hide(visit, true);
            visit.page.waitForLoadState(LoadState.NETWORKIDLE); // what was asked before is answered
            visit.page.onRequest(request -> asked.add(request.url()));
            visit.page.clock().runFor(60_000);
            assertThat(asked).isEmpty();
            visit.page.waitForResponse("**/api/overview", () -> hide(visit, false));
        }
    }

    private static void hide(Visit visit, boolean hidden) {
        visit.page.evaluate(
                "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
                        + " document.dispatchEvent(new Event('visibilitychange')); }",
                hidden);
    }

    @Test
    void before_many_are_retried_their_errors_and_what_was_delivered_since_are_shown() {
        try (Visit visit = stage.visit()) {
            visit.open("/dead-letters?subscription=orders");
            visit.click("Retry all matching …");
            visit.expect("dialog .preview li >> nth=0").containsText("IOException: broken pipe");
            visit.sees("no outage of its destination is known.");
        }
    }

    @Test
    void emphasis_in_a_page_of_the_documentation_is_shown_without_its_asterisks() {
        try (Visit visit = stage.visit()) {
            visit.open("/help");
            visit.expect("main em >> text=/^Retry all matching$/").not().hasCount(0);
            visit.expect("main >> text=/(^|\\s)\\*\\w/").hasCount(0);
        }
    }

    @Test
    void why_names_what_holds_a_message_first_and_those_that_do_not_select_it_together() {
        try (Visit visit = stage.visit()) {
            visit.open("/why/" + waiting);
            visit.expect("main h2 >> nth=0").hasText("mail");
            visit.expect("main h2 >> nth=1").hasText("Subscriptions that do not select it");
            visit.expect("main h2").hasCount(2);
            visit.expect("main section >> nth=1").containsText("sms");
        }
    }

    @Test
    void a_destination_that_is_away_is_told_with_its_runbook() throws Exception {
        Gateway.isUnavailable(true);
        try (Visit visit = stage.visit().open("/")) {
            stage.insert("orders.placed", "order/95", "{\"away\": 1}");
            visit.page.locator(".problems").getByText("what to do").first().waitFor();
            visit.page
                    .locator(".card", new Page.LocatorOptions().setHasText("orders"))
                    .getByText("destination unavailable")
                    .waitFor();
            visit.open("/subscriptions/orders");
            visit.sees("Next probe");
            visit.page.locator("main").getByText("What to do").click();
            visit.sees("Meaning");
        } finally {
            Gateway.isUnavailable(false);
        }
        eventually(Duration.ofSeconds(40), () -> assertThat(Gateway.bodies()).contains("{\"away\": 1}"));
    }

    @Test
    void an_empty_system_says_what_to_do_next(@TempDir Path nothing) throws Exception {
        try (ConsoleStage empty = new ConsoleStage(nothing);
                Visit visit = empty.visit().open("/")) {
            visit.sees("Nothing is delivered yet");
            visit.follow("Add a destination");
            visit.sees("order-webhook.camel.yaml");
            for (String page :
                    List.of("/dead-letters", "/retries", "/messages", "/relays", "/partitions", "/audit", "/jobs")) {
                visit.open(page);
                visit.expect("main .failure").hasCount(0);
            }
        }
    }

    private static double brightness(Visit visit) {
        return ((Number)
                        visit.page.evaluate(
                                "Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)) / 255"))
                .doubleValue();
    }
}
