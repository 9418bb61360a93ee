package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.KeyboardModifier;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The lists: rows that are selected, sorted, filtered and shown as a person chooses; and messages that wait. {@link ConsoleIT} runs these
 * tests.
 */
interface ListPages {
    @Test
    default void selected_rows_are_retried_and_the_others_stay() throws Exception {
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
        assertThat(stage.count("select count(*) from outbox_job where first is not null and details #> '{filter,ids}'"
                        + " is not null and delivered = 3"))
                .as("bulk retries that observe the outcome of the selected ones")
                .isEqualTo(1);
    }

    @Tag("long")
    @Test
    default void rows_are_selected_with_keys_and_all_that_match_are_counted() {
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
            visit.expect(".bulk")
                    .containsText(Pattern.compile("All (of more than )?[\\d,]+ matching messages are selected"));
            visit.page.keyboard().press("b");
            visit.page.keyboard().press("Enter");
            visit.expect("dialog h2").hasText("Retry all matching dead letters");
            visit.page.keyboard().press("Escape");
            visit.click("Clear");
            visit.expect("tr.selected").hasCount(0);
        }
    }

    @Tag("long")
    @Test
    default void rows_columns_and_times_are_those_that_were_chosen_also_the_next_time() {
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
    default void a_heading_sorts_the_whole_list_where_the_relay_can_and_else_says_that_it_sorts_the_page() {
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

    @Tag("long")
    @Test
    default void of_100_000_rows_only_those_that_are_shown_are_loaded() {
        ConsoleScene.oneHundredThousandDeadLetters();
        try (Visit visit = stage.visit().open("/dead-letters")) {
            Response rows = visit.page.waitForResponse(
                    Pattern.compile("/api/dead-letters\\?"), () -> visit.open("/dead-letters"));
            visit.expect("table.selectable tbody tr").hasCount(50);
            assertThat(rows.body()).hasSizeLessThan(100_000);
        }
    }

    @Tag("long")
    @Test
    default void the_focus_stays_where_a_person_puts_it_when_a_question_gets_its_fields() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders&error=broken+pipe+f")) {
            whenItAppears(visit, "dialog input", "() => mark('focus-' + document.activeElement.name)");
            visit.click("Retry all matching …");
            visit.expect("html").hasAttribute("data-mark", "focus-rate"); // and not some time after the fields appeared
        }
    }

    @Tag("long")
    @Test
    default void what_a_person_types_as_soon_as_a_filter_appears_stays() {
        try (Visit visit = stage.visit().open("/")) {
            whenItAppears(visit, "input[name=key]", """
                field => {
                    field.value = 'order/77';
                    field.dispatchEvent(new Event('input', {bubbles: true}));
                    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => mark('drawn'))));
                }\
                """);
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
            }\
            """.formatted(function), selector);
    }

    @Test
    default void a_waiting_message_is_tried_now_or_given_up() throws Exception {
        long tried = stage.waiting("sms", "order/91", 0);
        long givenUp = stage.waiting("sms", "order/92", 1);
        try (Visit visit = stage.visit().open("/retries?subscription=sms")) {
            visit.follow(Long.toString(tried));
            visit.click("Retry now …");
            visit.agree("Retry now", "it is mended");
            visit.sees(tried + " is retried now.");
            visit.expecting("404").expect(".outcome").containsText("Delivered within");
            visit.open("/retries/sms/" + givenUp);
            visit.click("Give up …");
            visit.agree("Give up", "wrong number");
            visit.sees(givenUp + " is a dead letter now.");
            visit.expect(".outcome").containsText("Given up by anna");
            visit.follow("Show the dead letter");
            visit.expect("h1").hasText("Dead letter " + givenUp);
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where id = ?", givenUp))
                .isEqualTo(1);
        eventually(() -> assertThat(stage.count("select count(*) from outbox_retry where subscription = 'sms'"))
                .isZero());
    }

    @Test
    default void all_that_wait_and_match_are_counted_and_then_tried_now_or_given_up() throws Exception {
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
    default void the_list_that_is_shown_is_stored_as_a_file() throws Exception {
        stage.dead("mail", "order/export", "{\"exported\": 1}", "=formula");
        try (Visit visit = stage.visit().open("/dead-letters?subscription=mail&error=%3Dformula")) {
            visit.page.locator(".export summary").click();
            Download table = visit.page.waitForDownload(() -> visit.click("CSV"));
            visit.sees("The file is complete.");
            assertThat(table.suggestedFilename()).isEqualTo("dead-letters.csv");
            assertThat(Files.readString(table.path()).split("\r\n"))
                    .hasSize(2)
                    .anyMatch(line -> line.startsWith("\"mail\",") && line.contains("\"'=formula\""));
            visit.page.locator(".export input[name=payload]").check();
            Download lines = visit.page.waitForDownload(() -> visit.click("JSON lines"));
            assertThat(Files.readString(lines.path()))
                    .contains("{\"exported\": 1}")
                    .endsWith("}\n");
        }
    }

    @Test
    default void a_filter_that_can_match_nothing_is_reported() {
        try (Visit visit = stage.visit().expecting("Failed to load resource").open("/dead-letters?subscription=nope")) {
            visit.sees("There is no subscription nope");
            visit.open("/dead-letters?since=1h&until=2h");
            visit.sees("since must be before until");
            visit.open("/retries?subscription=nope");
            visit.sees("There is no subscription nope");
        }
    }

    @Test
    default void without_a_filter_the_question_names_the_number_of_all() {
        try (Visit visit = stage.visit().open("/dead-letters")) {
            visit.click("Discard all matching …");
            visit.sees("No filter: this applies to all subscriptions.");
            visit.expect("dialog button.primary")
                    .hasText(Pattern.compile("^\\s*Discard (more than )?[\\d,]+ dead letters"));
            visit.page.keyboard().press("Escape");
            visit.page.locator("[data-pick]").first().click();
            visit.click("Select all that match");
            visit.expect(".bulk").containsText("matching messages are selected");
        }
    }

    @Tag("long")
    @Test
    default void a_time_is_written_as_an_age_or_picked() {
        try (Visit visit = stage.visit().open("/dead-letters?subscription=orders")) {
            visit.page.locator("input[name=since]").fill("2h");
            visit.page.locator("input[name=since]").press("Enter");
            visit.sees("No dead letter matches.");
            visit.expect("main .failure").hasCount(0);
            visit.page
                    .locator(".filter:has(input[name=since]) input[type=datetime-local]")
                    .evaluate("field => { field.value = '2026-01-31T12:30'; field.dispatchEvent(new Event('change',"
                            + " {bubbles: true})) }");
            visit.expect("input[name=since]").hasValue(Pattern.compile("2026-01-3\\dT\\d\\d:30Z"));
        }
    }
}
