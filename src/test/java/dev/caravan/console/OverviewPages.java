package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static dev.caravan.console.ConsoleScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.caravan.camel.outbox.ApplicationTransaction;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
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
            String metrics =
                    URI.create(visit.page.url()).resolve("/observe/metrics").toString();
            eventually(() -> assertThat(visit.page.request().get(metrics).text())
                    .as("the last sample before the outage has the subscriptions")
                    .contains("caravan_lag_seconds{"));
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
    default void the_course_of_each_period_is_drawn_from_what_all_relays_stored() {
        storeHistory();
        try (Visit visit = stage.visit().open("/")) {
            for (String period : List.of("24 h", "7 d", "6 h", "15 m", "1 h")) {
                visit.follow(period);
                visit.expect(".choices [aria-current]").hasText(period);
                visit.expect(".chart canvas").hasCount(3);
                visit.expect(".u-legend tr:has-text('sms') .u-value >> nth=0").hasText(Pattern.compile("[\\d.]+"));
            }
        }
    }

    private static void storeHistory() {
        stage.jdbc()
                .update("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id) select"
                        + " date_bin('5 minutes', now(), '2000-01-01Z') - n * interval '5 minutes', name, 100000 -"
                        + " n * 300, n, 0, 0 from generate_series(0, 200) n, (values ('orders'), ('sms'), ('mail'))"
                        + " names (name) on conflict do nothing");
    }

    @Test
    default void a_change_is_a_mark_and_what_was_before_and_after_it_is_compared() {
        storeHistory();
        stage.jdbc()
                .update("insert into outbox_audit (at, who, action, subscription, reason)"
                        + " values (now() - interval '7 hours', 'erika', 'pause', 'sms', 'gateway moves'),"
                        + " (now() - interval '3 hours', 'erika', 'lanes', 'mail', 'more orders')");
        stage.jdbc()
                .update(
                        "insert into outbox_audit (at, who, action, subscription)"
                                + " select now() - interval '3 days' + n * interval '20 minutes', 'erika', 'lanes', 'orders' from generate_series(1, 6) n");
        try (Visit visit = stage.visit().open("/?period=24h")) {
            Locator mark = visit.page.locator(".marks li:has-text('erika paused sms')");
            PlaywrightAssertions.assertThat(mark).containsText("gateway moves");
            visit.expect(".marks li:has-text('erika changed the lanes of mail')")
                    .hasCount(1);
            visit.expect(".marks li:has-text('started: version')").hasCount(1);

            visit.open("/?period=7d"); // marks that are near each other are one
            visit.follow("1 more in this time");
            visit.expect(".marks li:has-text('erika changed the lanes of orders')")
                    .hasCount(6);
            visit.open("/?period=24h");

            mark.locator(".mark-letter").focus();
            visit.page.keyboard().press("Enter");
            visit.expect(".effect li:has-text('sms')")
                    .containsText(Pattern.compile("1\\.0 .*1\\.0 per second, lag at most 2m \\d+s .* 1m \\d+s"));
            visit.expect(".effect li >> nth=0").containsText("sms"); // what was changed is first
            assertThat(visit.page.url()).contains("period=24h", "at=20");
            assertThat(visit.barriers()).isEmpty();
            visit.page
                    .locator(".marks li:has-text('erika paused sms')")
                    .getByText("audit")
                    .click();
            visit.expect("main tbody tr >> nth=0").containsText("gateway moves");

            visit.open("/subscriptions/mail?period=6h");
            visit.expect(".marks li:has-text('erika changed the lanes of mail')")
                    .hasCount(1);
            visit.expect(".chart").hasCount(3);
            visit.expect(".u-legend tr:has-text('sms')").hasCount(0);
        } finally {
            stage.jdbc().update("delete from outbox_audit where who = 'erika'");
        }
    }

    @Test
    default void a_range_between_two_times_is_part_of_the_address_and_always_shown_in_full() {
        storeHistory();
        try (Visit visit = stage.visit().expecting("400").open("/?period=6h")) {
            visit.follow("fix this range");
            visit.expect("h2:text('Range of time')").hasCount(1);
            assertThat(visit.page.url()).contains("from=20", "to=20");

            // dragging from the first to the second quarter of a chart shows this part
            Locator chart = visit.page.locator(".u-over").first();
            var box = chart.boundingBox();
            double y = box.y + box.height / 2;
            String whole = visit.page.url();
            visit.page.mouse().move(box.x + box.width / 4, y);
            visit.page.mouse().down();
            visit.page.mouse().move(box.x + box.width / 2, y);
            visit.page.mouse().up();
            visit.page.waitForURL(url -> !url.equals(whole));
            assertThat(secondsOfRange(visit)).isBetween(5_000L, 5_800L); // a quarter of 6 hours

            // a click chooses the time that is compared
            visit.page.locator(".u-over").first().click();
            visit.expect(".effect").containsText("Before and after");
            visit.expect(".effect").isInViewport();
            visit.expect(".effect").containsText(Pattern.compile("The 1[345]m.* before, and the 1[345]m.* after"));

            // nothing is stored here, but the chart has all of it
            String from = Instant.now().minus(Duration.ofHours(60)).toString().substring(0, 19) + "Z";
            String to = Instant.now().minus(Duration.ofHours(58)).toString().substring(0, 19) + "Z";
            visit.open("/?from=" + from + "&to=" + to);
            visit.sees("No relay has stored anything in this range of time.");
            visit.expect(".chart canvas").hasCount(3);
            assertThat(visit.page.locator(".range").innerText()).contains(from.substring(11, 16), to.substring(11, 16));

            visit.page.locator(".other-range summary").click();
            visit.page.locator(".other-range input[name=from]").fill("1h");
            visit.page.locator(".other-range input[name=to]").fill("2h");
            visit.click("Show");
            visit.expect("main .failure").containsText("must be at least 10 s before to");
        }
    }

    private static long secondsOfRange(Visit visit) {
        return ((Number) visit.page.evaluate("(() => { const query = new URLSearchParams(location.search);"
                        + " return (Date.parse(query.get('to')) - Date.parse(query.get('from'))) / 1000; })()"))
                .longValue();
    }

    @Test
    default void near_marks_are_one_and_a_comparison_covers_the_time_of_each_rate() {
        try (Visit visit = stage.visit().open("/jobs")) {
            Object found = visit.page.evaluate("""
                async () => {
                  const { grouped, effect, mostChanged, sentence } = await import('/console/js/marks.js');
                  const { alone } = await import('/console/js/chart.js');
                  const time = seconds => new Date(seconds * 1000).toISOString();
                  const many = Array.from({ length: 500 }, (_, i) => ({ at: time(1000 + i * 2), subscriptions: [] }));
                  const groups = grouped(many, 1000, 2000);
                  const history = {
                    from: time(0), to: time(600), intervalSeconds: 100, at: [0, 100, 200, 300, 400, 500].map(time),
                    subscriptions: {
                      a: { ratePerSecond: [null, 10, 20, 1, null, 3], lagSeconds: [0, 5, 1, 9, null, 2], latencyMillis: [null, null, null, 7, null, 8] },
                      b: { ratePerSecond: [null, 5, 5, 5, 5, 5], lagSeconds: [0, 0, 0, 0, 0, 0], latencyMillis: [null, null, null, null, null, null] },
                    },
                  };
                  const effects = ['b', 'a'].map(name => [name, effect(history, name, 250, 200)]);
                  const mark = { who: 'anna', what: 'retry', subscriptions: ['sms'], count: 3, messages: 300 };
                  return JSON.stringify({
                    groups: [groups.length <= 20, groups.reduce((sum, { marks }) => sum + marks.length, 0), groups[0].letter],
                    a: effects[1][1],
                    b: effects[0][1],
                    order: [mostChanged(effects, [])[0][0], mostChanged(effects, [{ subscriptions: ['b'] }])[0][0]],
                    texts: [
                      sentence(mark),
                      sentence({ who: 'b', what: 'takeover', from: 'a', subscriptions: ['w', 'x', 'y', 'z'], count: 7 }),
                      sentence({ who: 'a', what: 'takeover', from: 'a', subscriptions: ['w'], count: 1 }),
                      sentence({ who: 'anna', what: 'pause', subscriptions: ['w'], count: 2, messages: null }),
                      sentence({ who: 'anna', what: 'prune', subscriptions: [], count: 1, messages: null }),
                    ],
                    alone: alone([1, null, 2, 3, null, null, 4]),
                  });
                }\
                """);
            // before: 50 s at 10/s, 100 s at 20/s and 50 s at 1/s; after: 50 s at 1/s and 50 s at 3/s
            assertThat(found)
                    .isEqualTo("{\"groups\":[true,500,\"A\"],"
                            + "\"a\":{\"before\":{\"rate\":12.75,\"lag\":5,\"latency\":null},\"after\":{\"rate\":2,\"lag\":9,\"latency\":7}},"
                            + "\"b\":{\"before\":{\"rate\":5,\"lag\":0,\"latency\":null},\"after\":{\"rate\":5,\"lag\":0,\"latency\":null}},\"order\":[\"a\",\"b\"],\"texts\":[\"anna"
                            + " retried 300 messages of sms\",\"b took 7 lanes of w, x, y and 1 more from"
                            + " a\",\"a took 1 lane of w again\",\"anna paused w, 2 times\",\"anna pruned the"
                            + " outbox\"],\"alone\":[0,6]}");
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
            visit.expect(".overview-map li:has-text('many-1')")
                    .containsText(Pattern.compile("backlog [\\d,]+, (not shrinking|empty in \\d+)"));
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
            visit.sees("sms is resumed.");
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
