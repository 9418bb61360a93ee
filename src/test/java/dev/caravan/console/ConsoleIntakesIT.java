package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Intakes and their rejected rows in a browser, as their relay writes them into the tables. */
class ConsoleIntakesIT {
    private static final String LETTER = "/dead-letters/intake:shop/900";

    private static ConsoleStage stage;

    @BeforeAll
    static void begin(@TempDir Path routes) throws Exception {
        Chromium.browser(); // skips before anything is started
        stage = new ConsoleStage(routes, "orders");
    }

    @AfterAll
    static void end() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }

    @BeforeEach
    void insert() {
        stage.jdbc().execute("""
                delete from outbox_intake; delete from outbox_dead_letter; delete from outbox_retry; delete from outbox_audit;
                insert into outbox_intake (intake, source, relay, lease_until, copied, rejected, copied_at, failing_since, error)
                values ('shop', 'shopDb: outbox', 'relay-7', clock_timestamp() + interval '1 hour', 123456, 1, clock_timestamp(), null, null),
                       ('billing', 'billingDb: sales.message', 'relay-7', clock_timestamp() + interval '1 hour', 0, 0, null,
                        clock_timestamp() - interval '3 minutes', 'Connection refused: db.example.com:3306. It is tried again in 30 s');
                insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,
                    attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)
                values ('intake:shop', 900, md5('900')::uuid, 'intake', '[900]', 'intake.rejected', '{"id": 900, "topic": null}', now(),
                    1, now(), now(), 'NullValue', 'The column topic, which is the type of the message, is null', '')
                """);
    }

    @Test
    void the_overview_lists_the_intakes_with_their_states_and_leads_to_each() {
        try (Visit visit = stage.visit().open("/")) {
            visit.expect("section[aria-label=Intakes]").containsText("123,456");
            visit.expect("section[aria-label=Intakes] .state.is-warning").hasText("failing");
            visit.expect("section[aria-label=Problems]").containsText("intake billing fails and is tried again");
            visit.follow("billing");
            visit.expect("h1").hasText("Intake billing");
            visit.sees("Connection refused: db.example.com:3306");
            visit.follow("What to do");
            visit.sees("The source of the intake cannot be reached, read or marked.");
        }
    }

    @Test
    void a_person_pauses_and_resumes_an_intake_and_undoes_it() {
        try (Visit visit = stage.visit().open("/intakes/shop")) {
            visit.click("Pause …");
            visit.agree("Pause", "moves house");
            visit.expect("section[aria-label=Now] .state").hasText("paused");
            visit.click("Resume …");
            visit.agree("Resume", "");
            visit.expect("section[aria-label=Now] .state").hasText("running");
            visit.expect("section[aria-label='Latest changes by people']").containsText("moves house");
        }
    }

    @Test
    void a_halted_intake_says_why_and_is_tried_again() {
        stage.jdbc()
                .execute(
                        "update outbox_intake set halted = true, error = 'The mark does not end pending' where intake = 'shop'");
        try (Visit visit = stage.visit().open("/intakes/shop")) {
            visit.sees("The mark does not end pending");
            visit.click("Resume …");
            visit.agree("Resume", "mark corrected");
            visit.expect("section[aria-label=Now] .state").hasText("running");
        }
    }

    @Test
    void a_rejected_row_is_found_from_its_intake_and_retried_until_it_is_copied() {
        try (Visit visit = stage.visit().expecting("404").open("/intakes/shop")) {
            visit.page.locator("section[aria-label=Now] a.is-critical").click();
            visit.expect("h1").hasText("Dead letters");
            visit.page.locator("main a.id").first().click();
            visit.expect("h1").hasText("Dead letter 900");
            visit.sees("The column topic, which is the type of the message, is null");
            visit.page
                    .locator("main")
                    .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("intake:shop"))
                    .first()
                    .waitFor();
            visit.click("Retry …");
            visit.sees("Its row is read again from the source");
            visit.agree("Retry", "");
            visit.expect(".outcome").containsText("Being tried now, or next");
            stage.jdbc().execute("delete from outbox_retry where subscription = 'intake:shop'"); // as its relay does
            visit.expect(".outcome").containsText("Copied");
        }
    }

    @Test
    void an_address_with_an_encoded_colon_is_the_same_page() {
        try (Visit visit = stage.visit().open("/dead-letters/intake%3Ashop/900")) {
            visit.expect("h1").hasText("Dead letter 900");
            visit.expect("main .failure").hasCount(0);
        }
    }

    @Test
    void why_leads_to_the_intake_and_resumes_it() {
        stage.jdbc().execute("""
                update outbox_intake set paused = true where intake = 'shop';
                with gone as (delete from outbox_dead_letter returning *)
                insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,
                    blocked, next_attempt_at)
                select subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at, false, now() from gone
                """);
        try (Visit visit = stage.visit().open("/why/900")) {
            visit.sees("The intake is paused");
            visit.page
                    .getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Resume …"))
                    .click();
            visit.agree("Resume", "");
            visit.expect("main").not().containsText("The intake is paused");
            assertThat(stage.count("select count(*) from outbox_intake where paused"))
                    .isZero();
        }
    }

    @Test
    void the_pages_fit_each_screen_and_have_no_barrier() throws Exception {
        for (int width : new int[] {1280, 768, 390}) {
            var screen = new Browser.NewContextOptions().setViewportSize(width, 900);
            try (Visit visit = stage.visit(ConsoleStage.TOKEN, screen)) {
                for (String page :
                        List.of("/", "/intakes/shop", "/intakes/billing", LETTER, "/messages/900", "/why/900")) {
                    visit.open(page);
                    visit.expect("main .failure").hasCount(0);
                    eventually(() -> assertThat(visit.scrollsSideways())
                            .as("%s at %s", page, width)
                            .isFalse());
                    assertThat(visit.barriers()).as("%s at %s", page, width).isEmpty();
                    picture(visit, page + " " + width);
                }
            }
        }
    }

    /** For a person who looks at them. */
    private static void picture(Visit visit, String name) {
        String folder = System.getenv("CONSOLE_PICTURES");
        if (folder != null) {
            visit.picture(Path.of(folder, "intakes" + name.replaceAll("\\W+", "-") + ".png"));
        }
    }
}
