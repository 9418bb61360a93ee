package dev.caravan.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.options.ColorScheme;
import dev.caravan.lab.servers.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes pictures of each page of the console, of a relay under load: in light and dark, on a wide screen and on a phone.
 * CONSOLE_PICTURES says into which folder. Those in docs/images are a choice of them, with fewer colors: {@code pngquant --quality 60-90}.
 */
@EnabledIfEnvironmentVariable(named = "CONSOLE_PICTURES", matches = ".+", disabledReason = "only takes pictures")
@Tag("long")
class PicturesIT {
    private static final Path FOLDER = Path.of(System.getenv().getOrDefault("CONSOLE_PICTURES", "."));
    private static final long LOAD = 80_000; // messages of some minutes
    private static final Duration LIMIT = Duration.ofMinutes(10);
    /** The first part of a name is the type of its messages. */
    private static final Map<String, String> DESTINATIONS = Map.of(
            "booking-sms", "https://sms.example.com/messages",
            "customer-email", "smtp://mail.example.com",
            "fraud-check", "https://fraud.example.com/checks",
            "invoices-to-erp", "sql:insert into invoice values (:#${header.id})",
            "orders-to-kafka", "kafka:orders?brokers=localhost:1",
            "search-index", "http://search.example.com/_bulk");

    private static final Map<String, String> ERRORS = Map.of(
            "booking-sms", "HTTP operation failed invoking https://sms.example.com/messages with statusCode: 400",
            "customer-email", "550 5.1.1 <guest@example.com>: no such mailbox",
            "orders-to-kafka", "The message is 1204331 bytes when serialized which is larger than 1048576");

    @TempDir
    private static Path routes;

    @Test
    void pictures_of_a_relay_under_load_are_taken() throws Exception {
        Chromium.browser();
        for (var each : DESTINATIONS.entrySet()) {
            write(each.getKey(), """
                    - process: {ref: "#class:dev.caravan.console.Gateway"}
                    - filter: {simple: "${body} == null", steps: [{to: "%s"}]}
                    """.formatted(each.getValue()));
        }
        write("warehouse", "- to: http://127.0.0.1:1/stock"); // where nothing listens
        var writers = Executors.newScheduledThreadPool(1);
        try (ConsoleStage stage = new ConsoleStage(routes)) {
            AtomicInteger number = new AtomicInteger();
            writers.scheduleAtFixedRate(() -> write(stage, number.getAndIncrement()), 0, 100, TimeUnit.MILLISECONDS);
            Await.until(
                    "the charts have something to show",
                    LIMIT,
                    () -> stage.count("select count(*) from outbox") > LOAD);
            Map<String, String> pages = fill(stage);
            Map<String, Consumer<Visit>> dialogs = dialogs(pages.get("dead-letter"));
            for (ColorScheme colors : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                String name = colors.name().toLowerCase();
                take(stage, pages, dialogs, name, options(colors, 1280, 900));
                take(stage, pages, dialogs, "phone-" + name, options(colors, 390, 844));
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private static void write(String subscription, String steps) throws Exception {
        Files.writeString(routes.resolve(subscription + ".camel.yaml"), ConsoleStage.route(subscription, steps));
    }

    private static Browser.NewContextOptions options(ColorScheme colors, int width, int height) {
        return new Browser.NewContextOptions().setViewportSize(width, height).setColorScheme(colors);
    }

    /** Creates problems for an operator; returns the pages with their names. */
    private static Map<String, String> fill(ConsoleStage stage) {
        List<String> failing = ERRORS.keySet().stream().sorted().toList();
        long letter = 0;
        for (int i = 0; i < 60; i++) {
            String subscription = failing.get(i % 5 == 0 ? 1 : i % 3);
            letter = stage.dead(
                    subscription,
                    "order/" + (1000 + i * 7),
                    "{\"orderId\": \"O-" + i + "\", \"total\": 184.50, \"email\": \"guest@example.com\"}",
                    ERRORS.get(subscription));
        }
        stage.jdbc()
                .update("update outbox_dead_letter set type = split_part(subscription, '-', 1) || '.placed',"
                        + " answer = case subscription when 'booking-sms' then '{\"code\": 21614, \"message\": \"The number cannot receive messages\"}' end,"
                        + " error_class = case subscription when 'booking-sms' then 'org.apache.camel.http.base.HttpOperationFailedException'"
                        + " when 'customer-email' then 'com.sun.mail.smtp.SMTPAddressFailedException'"
                        + " else 'org.apache.kafka.common.errors.RecordTooLargeException' end,"
                        + " last_failed_at = now() - pow(random(), 3) * interval '20 hours'");
        long waiting = stage.waiting("customer-email", "order/4711", 3);
        history(stage);
        Instant today = Instant.now().truncatedTo(ChronoUnit.DAYS);
        Instant peak = (Duration.between(today, Instant.now()).toHours() < 4 ? today.minus(1, ChronoUnit.DAYS) : today)
                .plus(3, ChronoUnit.HOURS);
        stage.jdbc()
                .update(
                        "insert into outbox_audit (at, who, action, subscription, reason) values"
                                + " (?, 'anna', 'pause', 'search-index', 'the index is rebuilt'),"
                                + " (?, 'anna', 'resume', 'search-index', 'the index is rebuilt')",
                        peak.atOffset(ZoneOffset.UTC),
                        peak.plus(50, ChronoUnit.MINUTES).atOffset(ZoneOffset.UTC));
        stage.jdbc().update("update outbox_subscription set paused = true where name = 'fraud-check'");
        String where = stage.jdbc()
                .queryForObject(
                        "select subscription || '/' || id from outbox_dead_letter where id = " + letter, String.class);
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "/");
        pages.put("subscription", "/subscriptions/customer-email");
        pages.put("subscription-unavailable", "/subscriptions/warehouse");
        pages.put("subscription-paused", "/subscriptions/fraud-check");
        pages.put("dead-letters", "/dead-letters");
        pages.put("dead-letter", "/dead-letters/" + where);
        pages.put("discarded", "/dead-letters/discarded");
        pages.put("retries", "/retries");
        pages.put("retry", "/retries/customer-email/" + waiting);
        pages.put("find", "/find?text=order/4711");
        pages.put("messages", "/messages");
        pages.put("message", "/messages/" + letter);
        pages.put("why", "/why/" + waiting);
        pages.put("relays", "/relays");
        pages.put("routes", "/routes");
        pages.put("partitions", "/partitions");
        pages.put("audit", "/audit");
        pages.put("jobs", "/jobs");
        pages.put("help", "/help");
        pages.put("runbook", "/help/runbooks/lag-high");
        pages.put("empty-dead-letters", "/dead-letters?error=nothing");
        pages.put("empty-discarded", "/dead-letters/discarded?error=nothing");
        pages.put("empty-retries", "/retries?error=nothing");
        pages.put("empty-find", "/find?text=order/none");
        pages.put("empty-messages", "/messages?key=order/none");
        return pages;
    }

    /** What opens each dialog, or shows a part of a page, with its name. */
    private static Map<String, Consumer<Visit>> dialogs(String letter) {
        Map<String, Consumer<Visit>> dialogs = new LinkedHashMap<>();
        dialogs.put("dialog-retry", visit -> visit.open(letter).click("Retry …"));
        dialogs.put("dialog-discard", visit -> visit.open(letter).click("Discard …"));
        dialogs.put("dialog-edit", visit -> {
            visit.open(letter).click("Show");
            visit.click("Edit and retry …");
        });
        dialogs.put("dialog-would-be-sent", visit -> visit.open(letter).click("Show what would be sent"));
        dialogs.put("dialog-retry-many", visit -> visit.open("/dead-letters").click("Retry all matching …"));
        dialogs.put("dialog-discard-many", visit -> visit.open("/dead-letters").click("Discard all matching …"));
        dialogs.put("dialog-pause", visit -> visit.open("/subscriptions/customer-email")
                .click("Pause …"));
        dialogs.put("dialog-lanes", visit -> visit.open("/subscriptions/customer-email")
                .click("Change lanes …"));
        dialogs.put("dialog-replay", visit -> {
            visit.open("/subscriptions/customer-email")
                    .page
                    .locator("input[name=since]")
                    .fill("2h");
            visit.click("Count …");
        });
        dialogs.put("charts-of-a-day", visit -> {
            visit.open("/subscriptions/search-index?period=24h")
                    .page
                    .locator(".marks .of-person")
                    .first()
                    .click();
            visit.page
                    .locator("section:has(> .charts)")
                    .evaluate("section => scrollBy(0, section.getBoundingClientRect().top - 60)");
        });
        dialogs.put("dialog-shortcuts", visit -> visit.open("/").page.keyboard().press("?"));
        dialogs.put("selection", visit -> {
            visit.open("/dead-letters").page.locator("[data-pick]").nth(1).click();
            visit.page.locator("[data-pick]").nth(3).click();
        });
        dialogs.put("view", visit -> visit.open("/dead-letters")
                .page
                .locator("summary:has-text('View') >> nth=0")
                .click());
        return dialogs;
    }

    /** A day and a half of history, with a pause from 3:00 to 3:50. */
    private static void history(ConsoleStage stage) {
        stage.jdbc().update("""
                insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, latency_millis, last_id)
                select at, s.name, 1000 * extract(epoch from case when still then date_trunc('hour', at) else at end - (now() - interval '36 hours')) / 60,
                    case when still then 60 * extract(minute from at) else random() end,
                    case when still then 1000 * extract(minute from at) else 20 * random() end, 40 + 30 * random(), 0
                  from outbox_subscription s,
                    generate_series(date_bin('5 minutes', now() - interval '36 hours', 'epoch'), now() - interval '10 minutes', interval '5 minutes') at,
                    lateral (select extract(hour from at) = 3 and extract(minute from at) < 50) pause (still)
                on conflict do nothing
                """);
    }

    /** A varying number of messages, so that the charts have something to show. */
    private static void write(ConsoleStage stage, int turn) {
        int count = (int) Math.round(12 + 8 * Math.sin(turn / 150.0));
        for (String type :
                new String[] {"orders", "orders", "booking", "customer", "invoices", "search", "warehouse"}) {
            stage.jdbc()
                    .update(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                    + " select 'order', ((? * 31 + n) % 5000)::text, ?, '{\"n\": 1}' from generate_series(1, ?) n",
                            turn, type + ".placed", count);
        }
    }

    private static void take(
            ConsoleStage stage,
            Map<String, String> pages,
            Map<String, Consumer<Visit>> dialogs,
            String folder,
            Browser.NewContextOptions options)
            throws Exception {
        Path pictures = Files.createDirectories(FOLDER.resolve(folder));
        try (Visit visit = stage.visit(ConsoleStage.TOKEN, options)) {
            for (var each : pages.entrySet()) {
                visit.open(each.getValue());
                visit.page.waitForTimeout(700); // until the charts are drawn
                visit.picture(pictures.resolve(each.getKey() + ".png"));
            }
            for (var each : dialogs.entrySet()) {
                each.getValue().accept(visit);
                visit.page.waitForTimeout(700); // until the relay has answered
                visit.picture(pictures.resolve(each.getKey() + ".png"));
            }
        }
    }
}
