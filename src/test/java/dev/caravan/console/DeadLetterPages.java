package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.letter;
import static dev.caravan.console.ConsoleScene.stage;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dead letters: one in full, their groups, and what a person does with them. {@link ConsoleIT} runs these tests. */
interface DeadLetterPages {
    @Tag("long")
    @Test
    default void the_page_of_a_dead_letter_begins_with_the_answer_and_lists_its_attempts() {
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

    @Tag("long")
    @Test
    default void a_job_shows_how_far_it_is_and_why_it_ended() {
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
                }\
                """);
            assertThat(shown).isEqualTo("[\"failed retry 3 of 10refused again\",3,false,null]");
        }
    }

    @Test
    default void the_dead_letter_of_an_order_is_found_by_its_key_and_retried() throws Exception {
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
            visit.expecting("404").sees("of the retry by anna.");
            visit.expect(".outcome")
                    .containsText(Pattern.compile("^Delivered within \\d+m?s of the retry by anna\\.$"));
            visit.expect("h1").hasText("Message " + id);
            visit.expect("a:has-text('Why is it not delivered?')").hasCount(0);
            visit.expect("section[aria-label='Changes by people'] tbody tr").containsText("gateway accepts it now");
            visit.follow("Show the message in all subscriptions");
            visit.page
                    .locator("main tr", new Page.LocatorOptions().setHasText("sms"))
                    .first()
                    .getByText("delivered")
                    .waitFor();
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"found\": 88}"));
    }

    @Test
    default void a_dead_letter_that_fails_again_is_shown_with_its_new_answer_without_a_click() {
        long id = stage.dead("sms", "order/again", "{\"country\": \"Atlantis\"}", "refused");
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + id)) {
            visit.click("Retry …");
            visit.agree("Retry", "the gateway knows it now");
            visit.expecting("404")
                    .expect(".outcome")
                    .containsText(Pattern.compile(
                            "^Dead again \\d+m?s after the retry by anna, after 1 attempt: .*unknown country"));
            visit.expect("h1").hasText("Dead letter " + id);
            visit.expect("section[aria-label=Error]").containsText("unknown country");
            visit.open("/dead-letters/sms/" + id);
            visit.expect(".outcome").containsText("Dead again");
        }
    }

    @Tag("long")
    @Test
    default void a_retry_that_waits_for_its_subscription_says_so_until_it_is_delivered() throws Exception {
        long id = stage.dead("mail", "order/pause", "{\"pause\": 1}", "refused");
        stage.jdbc().update("update outbox_subscription set paused = true where name = 'mail'");
        eventually(() -> assertThat(
                        stage.count("select count(*) from outbox_subscription where name = 'mail' and owner is null"))
                .as("released by the relay")
                .isEqualTo(1));
        try (Visit visit = stage.visit().open("/dead-letters/mail/" + id)) {
            visit.click("Retry …");
            visit.agree("Retry", "for later");
            visit.expecting("404").expect(".outcome").containsText("The subscription is paused");
            visit.follow("Show it among the waiting messages");
            visit.expect("section[aria-label=Message]").containsText("the subscription is paused");
            stage.jdbc().update("update outbox_subscription set paused = false where name = 'mail'");
            visit.expect(".outcome").containsText("Delivered");
        } finally {
            stage.jdbc().update("update outbox_subscription set paused = false where name = 'mail'");
        }
    }

    @Test
    default void a_masked_field_is_edited_and_the_person_sees_what_was_typed() throws Exception {
        long id = stage.dead("sms", "order/masked", "{\"phone\": \"+4917\", \"n\": 1}", "refused");
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + id)) {
            visit.click("Show");
            visit.click("Edit and retry …");
            visit.page.locator("textarea[name=payload]").fill("{\"phone\": \"+4918\", \"n\": 1}");
            visit.click("Compare and retry …");
            visit.expect(".diff tbody tr").hasCount(1);
            visit.expect(".diff tbody tr").containsText(Pattern.compile("phone.*•••.*\\+4918", Pattern.DOTALL));
            assertThat(visit.page.content()).doesNotContain("+4917");
            visit.agree("Retry with these changes", "corrected");
            visit.expecting("404").expect(".outcome").containsText("Delivered within");
        }
        eventually(() -> assertThat(Gateway.bodies()).anyMatch(body -> body.contains("+4918")));
    }

    @Test
    default void an_edited_dead_letter_shows_what_differs_and_keeps_every_digit_of_the_rest() throws Exception {
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

    @Tag("long")
    @Test
    default void bytes_are_shown_in_hexadecimal_and_only_their_headers_are_edited() {
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
    default void masked_fields_are_not_shown() {
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + letter)) {
            visit.click("Show");
            visit.sees("•••");
            visit.sees("84.50");
            assertThat(visit.page.content()).doesNotContain("+4917");
        }
    }

    @Test
    default void what_would_be_sent_for_a_dead_letter_is_shown_before_a_retry() {
        try (Visit visit = stage.visit().open("/dead-letters/sms/" + letter)) {
            visit.click("Show what would be sent");
            visit.expect("section[aria-label='What would be sent'] .facts").containsText("delivered");
            assertThat(visit.page.content()).doesNotContain("+4917");
        }
    }

    @Test
    default void a_dead_letter_is_discarded_for_a_reason_only_and_the_discard_is_undone_at_once_or_later() {
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
            visit.expecting("404").expect(".outcome").containsText("Discarded by anna");
            visit.click("Undo");
            visit.sees("Undone");
            visit.expect(".outcome").containsText("The discard was undone by anna");
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

    @Tag("long")
    @Test
    default void all_dead_letters_that_match_are_counted_and_then_retried() throws Exception {
        for (int i = 0; i < 3; i++) {
            stage.dead("mail", "order/bulk", "{\"bulk\": " + i + "}", "quota is used up");
        }
        try (Visit visit = stage.visit().open("/dead-letters?subscription=mail&error=quota+is+used+up")) {
            visit.click("Retry all matching …");
            visit.agree("Retry 3 dead letters", "boxes are emptied");
            visit.sees("3 of 3");
            visit.page.locator("dialog .is-good").waitFor();
            visit.expect("dialog .job").containsText("3 delivered, 0 failed again");
            visit.click("Close");
            visit.open("/jobs");
            visit.expect("section[aria-label='Changes of many messages'] tbody tr >> nth=0")
                    .containsText("3 delivered, 0 failed again");
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"bulk\": 0}", "{\"bulk\": 1}", "{\"bulk\": 2}"));
    }

    @Test
    default void a_bulk_retry_that_stopped_says_why_and_leads_to_where_it_can_be_resumed() throws Exception {
        // the first attempts of all five have failed before the job looks at the first one
        stage.jdbc()
                .execute(
                        "create function failed_at_once() returns trigger language plpgsql as 'begin new.attempts = 1; return new; end';"
                                + " create trigger failed_at_once before insert on outbox_retry for each row"
                                + " when (new.subscription = 'sms' and new.aggregate_id like 'bulk-%') execute function failed_at_once()");
        for (int i = 0; i < 6; i++) {
            stage.dead("sms", "order/bulk-" + i, "{\"country\": \"Atlantis\"}", "no such country");
        }
        try (Visit visit = stage.visit().open("/dead-letters?subscription=sms&error=no+such+country")) {
            visit.click("Retry all matching …");
            visit.agree("Retry 6 dead letters", "the gateway knows it now");
            visit.expect("dialog .job").containsText("0 delivered, 5 failed again");
            visit.expect("dialog .job .failure").containsText("It stopped because 5 of the first 5 failed again");
            visit.follow("Resume or cancel it on the page Jobs");
            visit.expect("section[aria-label='Bulk retries of dead letters'] tbody tr >> nth=0")
                    .containsText(Pattern.compile("stopped.*5 of the first 5 failed again.*Resume …"));
            visit.expect("dialog").hasCount(0);
        } finally {
            String ofBulk = "from outbox_dead_letter where subscription = 'sms' and aggregate_id like 'bulk-%'";
            stage.jdbc().execute("drop function failed_at_once() cascade");
            eventually(
                    () -> assertThat(stage.count("select count(*) " + ofBulk)).isEqualTo(6));
            stage.jdbc().update("delete " + ofBulk);
        }
    }

    @Tag("long")
    @Test
    default void work_on_many_messages_can_be_stopped() throws Exception {
        String dead = "select count(*) from outbox_dead_letter where subscription = 'orders'";
        long before = stage.count(dead);
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
        assertThat(stage.count(dead)).isGreaterThan(before - 1_000);
    }

    @Test
    default void a_bulk_retry_is_paused_resumed_and_cancelled_on_the_page_of_jobs() {
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

    @Tag("long")
    @Test
    default void one_hundred_thousand_dead_letters_are_grouped_listed_and_paged() throws Exception {
        ConsoleScene.oneHundredThousandDeadLetters();
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
    default void what_is_known_about_a_group_of_dead_letters_is_noted() {
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

    @Tag("long")
    @Test
    default void before_many_are_retried_their_errors_and_what_was_delivered_since_are_shown() {
        try (Visit visit = stage.visit()) {
            visit.open("/dead-letters?subscription=orders");
            visit.click("Retry all matching …");
            visit.expect("dialog .preview li >> nth=0").containsText("IOException: broken pipe");
            visit.sees("no outage of its destination is known.");
        }
    }
}
