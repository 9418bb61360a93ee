package dev.caravan.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** Takes the pictures of the documentation, of a relay under load: CONSOLE_PICTURES says into which folder. */
@EnabledIfEnvironmentVariable(named = "CONSOLE_PICTURES", matches = ".+", disabledReason = "only takes pictures")
class PicturesIT {
    private static final Path FOLDER = Path.of(System.getenv().getOrDefault("CONSOLE_PICTURES", "."));
    private static final int MINUTES = 3;
    private static final Map<String, String> ERRORS = Map.of(
            "sms-booking", "the gateway answered 400: the number cannot receive messages",
            "mail-customer", "the mail server answered 550: no such mailbox",
            "orders-to-kafka", "the record is 1,204,331 bytes long, the topic takes 1,048,576");

    @TempDir
    private static Path routes;

    @Test
    void pictures_of_a_relay_under_load_are_taken() throws Exception {
        Chromium.browser();
        var writers = Executors.newScheduledThreadPool(1);
        try (ConsoleStage stage = new ConsoleStage(routes, "orders-to-kafka", "sms-booking", "mail-customer")) {
            AtomicInteger number = new AtomicInteger();
            writers.scheduleAtFixedRate(() -> write(stage, number.getAndIncrement()), 0, 100, TimeUnit.MILLISECONDS);
            TimeUnit.MINUTES.sleep(MINUTES);
            for (int i = 0; i < 40; i++) {
                String subscription = ERRORS.keySet().stream().sorted().toList().get(i % 5 == 0 ? 1 : i % 3);
                stage.dead(subscription, "order/" + (1000 + i * 7), "{}", ERRORS.get(subscription));
            }
            stage.jdbc()
                    .update("update outbox_dead_letter set type = 'order.placed',"
                            + " last_failed_at = now() - pow(random(), 3) * interval '20 hours'");
            stage.waiting("mail-customer", "order/4711", 3);
            try (Visit visit = stage.visit()) {
                take(visit.open("/"), "console-overview");
                take(visit.open("/dead-letters"), "console-dead-letters");
            }
            var dark =
                    new Browser.NewContextOptions().setViewportSize(1280, 900).setColorScheme(ColorScheme.DARK);
            try (Visit visit = stage.visit(ConsoleStage.TOKEN, dark)) {
                take(visit.open("/subscriptions/mail-customer"), "console-subscription-dark");
            }
        } finally {
            writers.shutdownNow();
        }
    }

    /** More and less, so that the charts have something to show. */
    private static void write(ConsoleStage stage, int turn) {
        int count = (int) Math.round(12 + 8 * Math.sin(turn / 150.0));
        for (String type : new String[] {"orders", "orders", "orders", "sms", "mail"}) {
            stage.jdbc()
                    .update(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                    + " select 'order', ((? * 31 + n) % 5000)::text, ?, '{\"n\": 1}' from generate_series(1, ?) n",
                            turn, type + ".placed", count);
        }
    }

    private static void take(Visit visit, String name) throws Exception {
        visit.page.waitForTimeout(500); // until the charts are drawn
        Path picture = FOLDER.resolve(name + ".png");
        visit.picture(picture);
        assertThat(Files.size(picture)).isLessThan(200_000);
    }
}
