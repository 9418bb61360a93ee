package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.Schema;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of one relay, for the other outboxes of its database: one where no relay runs, one with a strange name, one not to be trusted. */
@Tag("long")
class OtherOutboxIT {
    private static final String STRANGE = "A b/c?d=%41&<i>";

    @TempDir
    private static Path routes;

    private static ConsoleStage stage;

    @BeforeAll
    static void begin() throws Exception {
        Chromium.browser(); // skips before anything is started
        stage = new ConsoleStage(routes, "orders");
        outbox("billing", "invoices");
        outbox(STRANGE, "strange");
        outbox("hidden", "unseen");
        stage.jdbc().execute("create role " + owner() + "; alter schema hidden owner to " + owner());
    }

    private static String owner() {
        return "owner_" + stage.jdbc().queryForObject("select current_database()", String.class);
    }

    private static void outbox(String schema, String subscription) {
        stage.jdbc().execute(Schema.print(new OutboxSchema(schema)));
        stage.jdbc()
                .execute("set search_path = '" + schema
                        + "'; insert into outbox_subscription (name, position, types) values ('"
                        + subscription
                        + "', 900, '{%}'); insert into outbox_dead_letter (subscription, id, message_id, aggregate_type,"
                        + " aggregate_id, type, payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select '" + subscription
                        + "', n, gen_random_uuid(), 'order', n::text, 'order.created', '{}', now(), 1, now(), now(),"
                        + " 'E', 'refused', '' from generate_series(811, 813) n; reset search_path");
    }

    @AfterAll
    static void end() throws Exception {
        if (stage != null) {
            String owner = owner();
            stage.jdbc().execute("alter schema hidden owner to current_user; drop role " + owner);
            stage.close();
        }
    }

    @Test
    void a_person_chooses_another_outbox_repairs_it_and_comes_back() throws Exception {
        try (Visit visit = stage.visit().expecting("404")) { // the dead letter that was retried
            visit.open("/");
            visit.expect("#outboxes tbody tr").hasCount(2);
            visit.expect("#outboxes tbody tr:has-text('billing')").containsText("no relay has a lease of invoices");
            visit.expect(".elsewhere").hasCount(0);

            visit.page.locator("select[name=outbox]").selectOption("billing");

            visit.expect(".elsewhere").containsText("billing");
            visit.settled();
            PlaywrightAssertions.assertThat(visit.page).hasURL(Pattern.compile("/console/outboxes/billing/$"));
            visit.expect(".card h2").hasText("invoices");
            visit.expect("#navigation a:has-text('Routes')").hasCount(0);

            visit.follow("Dead letters 3");
            visit.expect("main").containsText("refused");
            visit.open("/outboxes/billing/dead-letters/invoices/812");
            visit.expect("main").not().containsText("What would be sent");
            visit.click("Retry …");
            visit.expect("dialog h2").containsText("in outbox billing");
            visit.agree("Retry", "checked");

            eventually(() -> assertThat(stage.count("select count(*) from billing.outbox_retry where id = 812"))
                    .isOne());
            assertThat(stage.count("select count(*) from billing.outbox_audit")).isOne();
            assertThat(stage.count("select count(*) from public.outbox_audit")).isZero();

            visit.open("/outboxes/billing/why/811");
            visit.page.locator("summary:has-text('Details and commands')").click();
            visit.expect("details[open]").containsText("Use one for the outbox billing.");
            visit.expect("details[open]").containsText("./caravan dead-letters discard invoices 811");

            visit.open("/outboxes/billing/audit");
            visit.expect("main tbody").containsText("checked");
            visit.page.locator("select[name=outbox]").selectOption("public");
            visit.expect(".elsewhere").hasCount(0);
            PlaywrightAssertions.assertThat(visit.page).hasURL(Pattern.compile("/console/audit$"));
            visit.expect("main tbody").hasCount(0);

            visit.page.goBack();
            visit.expect(".elsewhere").containsText("billing");
            visit.expect("main tbody").containsText("checked");
        }
    }

    /** What was opened for one outbox must not reach the other one after the address has changed. */
    @Test
    void another_outbox_is_another_load_of_the_page() throws Exception {
        try (Visit visit = stage.visit()) {
            visit.open("/outboxes/billing/");
            visit.page.evaluate("window.loaded = 'billing'");
            visit.follow("Audit");
            assertThat(visit.page.evaluate("window.loaded")).isEqualTo("billing");
            visit.follow("Back to its own");
            visit.expect(".elsewhere").hasCount(0);
            visit.open("/outboxes/public/"); // its own, by name
            visit.expect(".elsewhere").hasCount(0);
            visit.page.goBack();
            assertThat(visit.page.evaluate("window.loaded")).isNull();
            visit.page.evaluate("window.loaded = 'own'");
            visit.page.goBack();
            visit.expect(".elsewhere").hasCount(1);
            assertThat(visit.page.evaluate("window.loaded")).isNull();
        }
    }

    @Test
    void a_strange_name_is_a_name_on_a_phone_too_and_an_outbox_that_is_not_trusted_says_why() throws Exception {
        var phone =
                new Browser.NewContextOptions().setColorScheme(ColorScheme.DARK).setViewportSize(360, 740);
        try (Visit visit = stage.visit(ConsoleStage.TOKEN, phone)) {
            visit.open("/");
            visit.page.locator("#outboxes summary").click();
            visit.sees("could run its own functions");
            assertThat(visit.scrollsSideways()).isFalse();
            assertThat(visit.barriers()).isEmpty();

            visit.follow(STRANGE);

            visit.expect(".elsewhere strong").hasText(STRANGE);
            visit.settled();
            visit.expect(".card h2").hasText("strange");
            assertThat(visit.scrollsSideways()).isFalse();
            assertThat(visit.barriers()).isEmpty();
        }
    }

    @Test
    void a_person_without_a_role_in_an_outbox_finds_the_way_back() throws Exception {
        try (Visit visit = stage.visit().expecting("403")) {
            visit.page.route(
                    Pattern.compile("/api/me\\?outbox=billing"),
                    route -> route.fulfill(
                            new Route.FulfillOptions()
                                    .setStatus(403)
                                    .setContentType("application/problem+json")
                                    .setBody(
                                            "{\"status\":403,\"title\":\"Forbidden\",\"detail\":\"anna has no role in this outbox.\"}")));
            visit.open("/outboxes/billing/audit");
            visit.sees("anna has no role in this outbox");

            visit.follow("Back to the relay's own outbox");

            visit.expect("#outboxes").containsText("billing");
            PlaywrightAssertions.assertThat(visit.page).hasURL(Pattern.compile("/console/$"));
        }
    }

    @Test
    void an_outbox_that_does_not_exist_is_named_as_missing() throws Exception {
        try (Visit visit = stage.visit().expecting("404").expecting("403")) {
            visit.open("/outboxes/nothing/dead-letters");
            visit.sees("This database has no outbox in a schema of this name");
            visit.open("/outboxes/hidden/");
            visit.sees("could run its own functions");
        }
    }
}
