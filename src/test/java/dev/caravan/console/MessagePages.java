package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static dev.caravan.console.ConsoleScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages: how they are found, their history, and why they are not delivered. {@link ConsoleIT} runs these tests. */
interface MessagePages {
    String SCRIPT = "<script>window.harmed = true</script><img src=x onerror=\"window.harmed = true\">";

    @Test
    default void the_page_of_a_message_leads_to_why_it_is_not_delivered_and_to_the_next_command() {
        try (Visit visit = stage.visit().open("/messages/" + (waiting + 1))) {
            visit.page.locator("a:has-text('Why is it not delivered?')").click();

            visit.expect("section[aria-label=mail]")
                    .containsText("It waits behind 1 message of its key; the first one is " + waiting);
            visit.page.getByText("Details and commands").click();
            visit.expect("section[aria-label=mail] .copyable >> nth=0")
                    .containsText("./caravan retries show mail " + waiting);
            visit.open("/why/order%2F4711");
            visit.expect("section[aria-label=mail]").containsText("It waits for another attempt");
        }
    }

    @Test
    default void why_says_the_cause_first_and_what_holds_a_message_is_removed_there() throws Exception {
        long dead = stage.dead("sms", "order/why", "{\"why\": 1}", "no such number");
        try (Visit visit = stage.visit().open("/why/" + dead)) {
            visit.expect("section[aria-label=sms] .cause").hasText("It is a dead letter after 10 attempts.");
            assertThat(visit.page
                            .locator("section[aria-label=sms] .buttons > *")
                            .allInnerTexts())
                    .containsExactly("Retry …", "Discard …", "See or edit it");
            visit.click("Retry …");
            visit.agree("Retry", "the number is known now");
            visit.expect(".outcome").hasText(Pattern.compile("Delivered within .* of the retry by anna\\."));
            eventually(() -> assertThat(Gateway.bodies()).contains("{\"why\": 1}"));
            visit.open("/why/" + (waiting + 1));
            assertThat(visit.page
                            .locator("section[aria-label=mail] .buttons > *")
                            .allInnerTexts())
                    .containsExactly("Retry " + waiting + " now …", "Give up " + waiting + " …");
        }
        try (Visit reader = stage.visit(ConsoleStage.READ_TOKEN, new Browser.NewContextOptions())) {
            reader.open("/why/" + waiting);
            reader.expect("section[aria-label=mail] .cause").containsText("It waits for another attempt");
            reader.expect("main button:not(.copy):not(.copyable button)").hasCount(0);
        }
    }

    @Test
    default void a_paused_subscription_is_resumed_where_it_is_the_cause() throws Exception {
        stage.jdbc().update("update outbox_subscription set paused = true where name = 'mail'");
        try (Visit visit = stage.visit().open("/why/" + waiting)) {
            visit.expect("section[aria-label=mail] .cause >> nth=0").containsText("The subscription is paused");
            visit.click("Resume …");
            visit.agree("Resume", "the storm is over");
            visit.expect("section[aria-label=mail] .cause >> nth=0").containsText("It waits for another attempt");
        } finally {
            stage.jdbc().update("update outbox_subscription set paused = false where name = 'mail'");
        }
    }

    @Test
    default void one_search_finds_what_is_dead_and_what_waits_with_its_state() {
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

    @Tag("long")
    @Test
    default void a_message_is_searched_further_back_and_shows_its_history() throws Exception {
        long old = stage.insert("sms.sent", "order/94", "{}");
        stage.jdbc()
                .update("insert into outbox (aggregate_type, aggregate_id, type) select 'noise', n::text,"
                        + " 'none.at-all' from generate_series(1, 60000) n");
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
    default void what_looks_like_a_script_in_a_message_is_shown_as_text() {
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

    @Tag("long")
    @Test
    default void why_names_what_holds_a_message_first_and_those_that_do_not_select_it_together() {
        try (Visit visit = stage.visit()) {
            visit.open("/why/" + waiting);
            visit.expect("main h2 >> nth=0").hasText("mail");
            visit.expect("main h2 >> nth=1").hasText("Subscriptions that do not select it");
            visit.expect("main h2").hasCount(2);
            visit.expect("main section >> nth=1").containsText("sms");
        }
    }
}
