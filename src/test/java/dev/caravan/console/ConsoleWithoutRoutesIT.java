package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Console;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The pages of a console whose routes run in an application. */
class ConsoleWithoutRoutesIT {
    @Test
    void pages_say_where_the_routes_run_and_offer_no_trial() throws Exception {
        TestOutbox outbox = TestOutbox.create();
        int port = FreePorts.one();
        try (TestRelay application = TestRelay.start(
                        outbox.pool(),
                        "orders?maxAttempts=1",
                        exchange -> {
                            throw new IllegalStateException("refused");
                        },
                        component -> component.setRelay("shop-1"));
                Console console = Console.start(outbox.settings(
                        Map.of("camel.management.enabled", "true", "camel.management.port", Integer.toString(port))));
                BrowserContext browser = Visit.context("", new Browser.NewContextOptions());
                Visit visit = new Visit("http://localhost:" + port, browser, () -> {})) {
            outbox.insertMany(1, 1);
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));

            visit.open("/routes");
            visit.sees("This console runs no routes.");
            visit.expect("main table >> text=shop-1").hasCount(1);
            visit.expect(".settings >> text=/^Console/").hasCount(1);
            visit.follow("orders");
            visit.sees("Lanes");
            visit.expect("main >> text=shop-1").not().hasCount(0);
            visit.open("/dead-letters/orders/1");
            visit.sees("refused");
            visit.expect("main >> text=What would be sent").hasCount(0);
            visit.expect("main .failure").hasCount(0);
            visit.open("/");
            visit.expect(".card").hasCount(1);
            assertThat(visit.complaints()).isEmpty();
        }
    }
}
