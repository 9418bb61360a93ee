package dev.caravan.console;

import static dev.caravan.console.ConsoleScene.letter;
import static dev.caravan.console.ConsoleScene.stage;
import static dev.caravan.console.ConsoleScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who may sign in, and what each role shows. {@link ConsoleIT} runs these tests. */
interface SignInPages {
    @Test
    default void a_wrong_token_is_refused_and_the_right_one_is_accepted() {
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
    default void a_reader_sees_everything_but_payloads_and_buttons() {
        try (Visit visit = stage.visit(ConsoleStage.READ_TOKEN, new Browser.NewContextOptions())) {
            for (String page : List.of(
                    "/subscriptions/mail",
                    "/dead-letters",
                    "/dead-letters/sms/" + letter,
                    "/retries",
                    "/retries/mail/" + waiting)) {
                visit.open(page);
                assertThat(visit.page
                                .locator("main button:not(.time-picker button, .export button, .sort, .copy)")
                                .allInnerTexts())
                        .as(page)
                        .allMatch(List.of("Search", "Search older messages")::contains);
            }
        }
    }

    @Test
    default void a_person_whom_a_proxy_names_sees_what_the_role_permits_and_is_not_asked_for_a_name() throws Exception {
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

    @Tag("long")
    @Test
    default void a_person_whom_a_proxy_names_undoes_a_discard_of_many_in_a_browser_that_stores_another_name()
            throws Exception {
        stage.dead("mail", "order/undone", "{}", "the address was withdrawn");
        var support = new Browser.NewContextOptions()
                .setExtraHTTPHeaders(Map.of("X-Forwarded-User", "carla", "X-Forwarded-Groups", "support"));
        try (Visit visit = stage.visit("", support).open("/dead-letters")) {
            visit.page.evaluate("localStorage.setItem('caravan.name', 'someone else')");
            visit.open("/dead-letters?error=withdrawn");
            visit.click("Discard all matching …");
            visit.page.locator("dialog input[name=reason]").fill("sold out");
            visit.page.locator("dialog button.primary").click();
            visit.click("Undo the discard");
            visit.page.locator("dialog .job").getByText("undo-discard").waitFor();
            visit.page.locator("dialog .job").getByText("done").waitFor();
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where aggregate_id = 'undone'"))
                .isEqualTo(1);
    }

    @Tag("long")
    @Test
    default void a_person_who_could_not_sign_out_is_told() {
        try (Visit visit = stage.visit().expecting("503")) {
            visit.page.route(
                    "**/api/me",
                    route -> route.fulfill(
                            new Route.FulfillOptions()
                                    .setContentType("application/json")
                                    .setBody(
                                            "{\"name\":\"anna\",\"role\":\"admin\",\"via\":\"openid\",\"relay\":\"r1\",\"version\":\"1\"}")));
            visit.page.route(
                    "**/auth/logout",
                    route -> route.fulfill(new Route.FulfillOptions()
                            .setStatus(503)
                            .setContentType("application/problem+json")
                            .setBody("{\"status\":503,\"title\":\"Temporarily unavailable\",\"detail\":\"Too"
                                    + " busy.\"}")));
            visit.open("/");
            visit.click("Sign out");

            visit.expect(".settings .failure").containsText("Too busy.");
        }
    }

    @Test
    default void where_people_sign_in_the_console_leads_there_and_a_token_is_still_accepted() {
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
}
