package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static dev.caravan.console.ConsoleScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.caravan.camel.outbox.ApplicationTransaction;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The overview, the page of a subscription, and the routes. {@link ConsoleIT} runs these tests. */
interface OverviewPages {
    @Test
    default void missing_ids_are_listed_with_the_transaction_that_may_write_them_and_how_to_end_it() throws Exception {
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

    @Tag("long")
    @Test
    default void an_unavailable_database_is_reported_with_its_time_and_old_data_is_grey() throws Exception {
        try (Visit visit = stage.visit().expecting("503").open("/")) {
            visit.expect(".verdict").containsText(Pattern.compile("\\S"));
            stage.refuseConnections();
            try {
                visit.expect(".verdict").containsText("down: the database has been unavailable since 20");
                visit.expect(".no-answer")
                        .containsText(Pattern.compile("The database is unavailable.*For \\d+(s|ms).*gray data"));
                visit.expect(".old .card >> nth=0").isVisible();
            } finally {
                stage.acceptConnections();
            }
            visit.expect(".old").hasCount(0);
        }
    }

    @Test
    default void the_overview_shows_the_overall_state_and_has_a_card_for_each_subscription() {
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
    default void the_course_of_a_day_and_of_a_week_is_drawn_from_what_all_relays_stored() {
        stage.jdbc()
                .update("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog) select"
                        + " date_bin('5 minutes', now(), '2000-01-01Z') - n * interval '5 minutes', name, 100000 -"
                        + " n * 300, n, 0 from generate_series(0, 200) n, (values ('orders'), ('sms'), ('mail'))"
                        + " names (name) on conflict do nothing");
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
    default void ticks_next_to_each_other_have_different_labels_and_a_legend_shows_the_latest_known_value() {
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
                }\
                """);
            assertThat(wrong).isEqualTo("{\"wrong\":[],\"shown\":[2,1,null]}");
        }
    }

    @Test
    default void many_subscriptions_are_a_map_from_the_outbox_to_their_destinations() {
        stage.jdbc()
                .update("insert into outbox_subscription (name, position) select 'many-' || n, 0 from"
                        + " generate_series(1, 4) n");
        try (Visit visit = stage.visit().open("/")) {
            visit.expect(".overview-map .flow-branches > li").hasCount(7);
            visit.expect(".overview-map li >> nth=0").containsText("no relay"); // the one that needs a person is first
            visit.expect(".overview-map").containsText(Pattern.compile("orders.*10,000\\+ dead"));
            visit.expect(".card").hasCount(0);
            assertThat(visit.scrollsSideways()).isFalse();
            assertThat(visit.barriers()).isEmpty();
        } finally {
            stage.jdbc().update("delete from outbox_subscription where name like 'many-%'");
        }
    }

    @Test
    default void the_drawing_of_the_routes_leads_to_each_subscription_and_has_a_table() {
        try (Visit visit = stage.visit().open("/routes")) {
            visit.expect(".flow-branches > li").hasCount(3);
            visit.expect(".flow-branches > li:has-text('orders.camel.yaml')").containsText("orders.*");
            visit.expect(".flow-branches > li:has-text('orders.camel.yaml') .flow-figures")
                    .containsText(Pattern.compile("/s.*lag"));
            visit.expect("table[aria-label='All routes'] tbody tr").hasCount(4);
            visit.expect("#error-handling")
                    .containsText("Failures are classified by error-handling.camel.yaml (built in).");
            visit.page.locator(".flow-figures").first().click();
            visit.expect("h1").containsText("mail");
            visit.open("/routes").follow("What that means");
            visit.expect("h1").containsText("Configuration");
        }
    }

    @Tag("long")
    @Test
    default void a_route_file_that_could_not_be_loaded_is_named_until_it_is_removed() throws Exception {
        stage.writeRouteFile("broken.camel.yaml", "- rout: {}");
        try (Visit visit = stage.visit().open("/routes")) {
            visit.expect("p[role=alert]").containsText("Could not load broken.camel.yaml");
            assertThat(visit.barriers()).isEmpty();
            visit.open("/");
            visit.page
                    .locator(".problems li:has-text('could not load broken.camel.yaml')")
                    .getByText("what to do")
                    .click();
            visit.expect("h1").containsText("A route file was not loaded");
            visit.open("/routes");
            visit.follow("What to do");
            visit.expect("h1").containsText("A route file was not loaded");
            stage.deleteRouteFile("broken.camel.yaml");
            visit.open("/routes");
            visit.expect("p[role=alert]").hasCount(0);
        } finally {
            stage.deleteRouteFile("broken.camel.yaml");
        }
    }

    @Tag("long")
    @Test
    default void a_person_pauses_and_resumes_a_subscription_and_the_audit_records_who_and_why() throws Exception {
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
    default void a_blocked_key_shows_how_many_wait_behind_it() {
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

    @Tag("long")
    @Test
    default void a_key_that_a_dead_letter_blocks_leads_to_that_dead_letter() {
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

    @Tag("long")
    @Test
    default void a_replay_is_counted_first() throws Exception {
        for (int i = 0; i < 3; i++) {
            stage.insert("sms.sent", "order/93", "{\"replayed\": " + i + "}");
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"replayed\": 2}"));
        stage.jdbc()
                .update("insert into outbox_audit (who, action, subscription, message, detail) select 'anna', 'retry',"
                        + " 'sms', max(id), '{\"original\": {}}' from outbox where aggregate_id = '93'");
        try (Visit visit = stage.visit().open("/subscriptions/sms")) {
            visit.page.locator("input[name=key]").fill("order/93");
            visit.page.locator("input[name=type]").fill("sms.*");
            visit.click("Count …");
            visit.sees("1 message was edited for a retry");
            visit.agree("Replay 3 messages", "the receiver lost them");
            visit.sees("3 of 3");
        }
        eventually(() -> assertThat(Gateway.bodies())
                .filteredOn(body -> body.contains("replayed"))
                .hasSize(6));
    }

    @Test
    default void lanes_are_changed() throws Exception {
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
    default void an_unavailable_destination_is_reported_with_its_runbook() throws Exception {
        Gateway.isUnavailable(true);
        try (Visit visit = stage.visit().open("/")) {
            stage.insert("orders.placed", "order/95", "{\"away\": 1}");
            visit.page.locator(".problems").getByText("what to do").first().waitFor();
            visit.page
                    .locator(".card", new Page.LocatorOptions().setHasText("orders"))
                    .getByText("destination unavailable")
                    .waitFor();
            long due = stage.waiting("orders", "order/due", 1);
            stage.jdbc()
                    .update("update outbox_retry set next_attempt_at = now() - interval '1 minute' where id = ?", due);
            for (String page : List.of("/retries?subscription=orders", "/retries/orders/" + due, "/messages/" + due)) {
                visit.open(page);
                visit.expect("main .is-warning:has-text('waits for the destination')")
                        .containsText(Pattern.compile("waits for the destination, probe (now|in \\d+m?s)"));
            }
            visit.open("/subscriptions/orders");
            visit.expect("#blocked-keys tr:has-text('order/due')").containsText("waits for the destination, probe");
            visit.sees("Next probe");
            visit.page.locator("main").getByText("What to do").click();
            visit.sees("Meaning");
        } finally {
            Gateway.isUnavailable(false);
        }
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"away\": 1}"));
        eventually(() -> assertThat(stage.count(
                        "select count(*) from outbox_subscription where destination_unavailable_since is not null"))
                .isZero()); // the relay reports that it is available
    }
}
