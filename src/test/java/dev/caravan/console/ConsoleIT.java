package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.letter;
import static dev.caravan.console.ConsoleScene.stage;
import static dev.caravan.console.ConsoleScene.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a person sees and does in the console, in a real browser, on a real relay and database: how all pages look and behave. The tests of
 * single pages are in interfaces, so that all of them share one relay, its many dead letters and one browser.
 */
class ConsoleIT implements OperatorTasks, OverviewPages, DeadLetterPages, ListPages, MessagePages, SignInPages {
    /** On the wire, for any page with all that it loads. */
    private static final long MOST_BYTES = 300_000;

    @BeforeAll
    static void begin(@TempDir Path routes) throws Exception {
        ConsoleScene.begin(routes);
    }

    @AfterAll
    static void end() throws Exception {
        ConsoleScene.end();
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
    void every_page_is_shown_without_an_error() {
        try (Visit visit = stage.visit()) {
            for (String page : pages()) {
                visit.open(page);
                visit.expect("main .failure").hasCount(0);
                assertThat(visit.complaints()).as(page).isEmpty();
            }
        }
    }

    @Tag("long")
    @Test
    void every_page_has_no_barrier_and_loads_few_bytes_on_a_wide_screen() throws Exception {
        try (Visit visit = stage.visit()) {
            everyPageShows(visit, "wide", false);
        }
    }

    @Tag("long")
    @Test
    void every_page_is_shown_on_a_phone_in_dark_mode_and_does_not_scroll_sideways() throws Exception {
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

    private static void showsIn(Visit visit, boolean dark, String what) throws Exception {
        eventually(
                () -> assertThat(brightness(visit) < 0.5).as("%s is dark", what).isEqualTo(dark));
    }

    @Tag("long")
    @Test
    void the_colors_are_those_that_were_chosen_also_the_next_time() throws Exception {
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
    void a_relay_that_does_not_answer_is_reported_until_it_answers_again() {
        try (Visit visit = stage.visit().expecting("Failed to load resource").open("/")) {
            visit.page.locator(".card").first().waitFor();
            stage.stopRelay();
            try {
                visit.sees("The relay does not answer.");
                visit.sees("No answer for");
                visit.expect(".card").hasCount(3); // the last data is still shown
            } finally {
                stage.startRelay();
            }
            visit.page
                    .locator(".no-answer")
                    .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
        }
    }

    @Tag("long")
    @Test
    void nothing_is_requested_while_the_page_is_hidden_and_never_twice_at_a_time() throws Exception {
        // the clock is that of all tabs of a context
        try (Visit visit = stage.visit(ConsoleStage.TOKEN, new Browser.NewContextOptions())) {
            visit.page.clock().install();
            visit.open("/");
            visit.page.locator(".card").first().waitFor();
            List<String> asked = new CopyOnWriteArrayList<>();
            hide(visit, true);
            visit.page.waitForLoadState(LoadState.NETWORKIDLE); // earlier requests are answered
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

    @Tag("long")
    @Test
    void emphasis_in_a_page_of_the_documentation_is_shown_without_its_asterisks() {
        try (Visit visit = stage.visit()) {
            visit.open("/help");
            visit.expect("main em >> text=/^Retry all matching$/").not().hasCount(0);
            visit.expect("main >> text=/(^|\\s)\\*\\w/").hasCount(0);
        }
    }

    @Tag("long")
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
