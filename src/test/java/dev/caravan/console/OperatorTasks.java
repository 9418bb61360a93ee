package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.microsoft.playwright.Download;
import dev.caravan.camel.outbox.ApplicationTransaction;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tasks of an operator, from the overview to their visible result. {@link ConsoleIT} runs these tests. */
interface OperatorTasks {
    Duration LIMIT_OF_A_TASK = Duration.ofSeconds(30);

    @Test
    default void each_task_of_an_operator_is_at_most_three_clicks_away_from_the_overview_and_done_in_30_s()
            throws Exception {
        String find = "order/77";
        String dead = ".card:has-text('mail') >> text=/dead/";
        String subscription = ".card h2 >> text=sms";
        long edited = stage.dead("mail", "order/task-edit", "{\"task\": 1}", "no such box");
        for (int i = 0; i < 7; i++) {
            stage.dead("mail", "order/task-" + i, "{\"task\": \"retry " + i + "\"}", "mailbox full");
        }
        stage.waiting("mail", "order/task-late", 2);
        stage.insert("sms.sent", "order/task", "{\"task\": \"replay\"}");
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"task\": \"replay\"}"));
        try (ApplicationTransaction transaction = stage.begin();
                Visit visit = stage.visit()) {
            transaction.run("set application_name = 'import-of-orders'");
            long missing = transaction.insert("task-gap");
            stage.insert("sms.sent", "order/task", "{\"task\": \"behind the gap\"}");
            new Task(
                            "who holds a gap",
                            null,
                            List.of(subscription, ".facts div:has(> dt:text('Ids in gaps')) a"),
                            page -> {
                                page.expect("#gaps").isInViewport();
                                page.expect("table[aria-label='Ranges of missing ids']")
                                        .containsText(Long.toString(missing));
                                page.expect("table[aria-label='Open transactions that wrote to the outbox']")
                                        .containsText(
                                                Pattern.compile("import-of-orders.*pg_terminate_backend\\(\\d+\\)"));
                            })
                    .run(visit);
        }
        List<Task> tasks = List.of(
                new Task("what is wrong right now", null, List.of(), visit -> {
                    visit.expect(".verdict").containsText(Pattern.compile("(degraded|critical): ."));
                    visit.expect(".problems").containsText(Pattern.compile("\\d+ new dead letters of mail"));
                    visit.follow("what to do");
                    visit.sees("Meaning");
                }),
                new Task(
                        "find the dead letter of an order",
                        find,
                        List.of("main tbody a.id"),
                        visit -> visit.sees("the amount must be positive")),
                new Task(
                        "edit and retry",
                        "order/task-edit",
                        List.of("main tbody a.id", "text=Show >> nth=0", "text=Edit and retry …"),
                        visit -> {
                            visit.page.locator("textarea[name=payload]").fill("{\"task\": 2}");
                            visit.click("Compare and retry …");
                            visit.agree("Retry with these changes", "the customer corrected it");
                            visit.expecting("404").sees(edited + " will be delivered again with these changes.");
                            visit.sees("Delivered within");
                        }),
                new Task("export a list", null, List.of(dead, ".export summary"), visit -> {
                    Download list = visit.page.waitForDownload(() -> visit.click("CSV"));
                    assertThat(list.suggestedFilename()).isEqualTo("dead-letters.csv");
                    visit.sees("The file is complete.");
                }),
                new Task("retry many", null, List.of(dead, "text=Retry all matching …"), visit -> {
                    visit.agree("Retry", "boxes are emptied");
                    visit.page.locator("dialog .job .is-good").waitFor();
                    visit.expect("dialog .job").containsText("7 delivered, 0 failed again");
                    visit.click("Close");
                    visit.sees("No dead letter matches.");
                }),
                new Task("course of a message", find, List.of("main tbody a.id"), visit -> visit.sees("attempt 10")),
                new Task(
                        "why a key is late, and its end",
                        "order/task-late",
                        List.of(
                                "main tbody tr:has-text('waiting') a.id",
                                "text=Why is it not delivered?",
                                "text=Retry now …"),
                        visit -> {
                            visit.sees("It waits for another attempt");
                            visit.agree("Retry", "the box is free");
                            visit.sees("Delivered within");
                        }),
                new Task("pause and resume", null, List.of(subscription, "text=Pause …"), visit -> {
                    visit.agree("Pause", "gateway moves");
                    visit.sees("sms is paused.");
                    visit.click("Resume …");
                    visit.agree("Resume", "gateway is back");
                    visit.sees("sms is resumed.");
                    visit.expect(".toast").hasCount(1);
                    visit.expect("section[aria-label=Now] .state").hasText("running");
                }),
                new Task("replay two hours", null, List.of(subscription), visit -> {
                    visit.page.locator("input[name=since]").fill("2h");
                    visit.click("Count …");
                    visit.agree("Replay", "the receiver lost them");
                    visit.page.locator("dialog .job .is-good").waitFor();
                }),
                new Task("which relay works what", null, List.of("#navigation >> text=Relays"), visit -> visit.expect(
                                "main tbody tr >> nth=0")
                        .containsText(Pattern.compile("sms 0 \\(epoch \\d+, (with the tail|reads for itself)\\)"))),
                new Task("time until the backlog is empty", null, List.of(), visit -> visit.expect(
                                ".card:has-text('sms') div:has(> dt:text('Time to drain')) dd")
                        .hasText(Pattern.compile("empty|up to date|not shrinking|\\d+.*"))),
                new Task(
                        "what happened around an incident",
                        null,
                        List.of(".marks li:has-text('anna paused sms') .mark-letter"),
                        visit -> {
                            visit.expect(".effect li:has-text('sms')").containsText("per second, lag at most");
                            visit.expect(".effect").isInViewport();
                        }));
        try (Visit visit = stage.visit()) {
            for (Task task : tasks) {
                task.run(visit);
            }
            assertThat(stage.dead("mail", "order/task-discard", "{}", "mailbox full"))
                    .isPositive();
            new Task("discard many", null, List.of(dead, "text=Discard all matching …"), page -> {
                        page.agree("Discard", "the boxes are closed");
                        page.page.locator("dialog .job .is-good").waitFor();
                        page.click("Close");
                        page.sees("No dead letter matches.");
                    })
                    .run(visit);
            stage.dead("mail", "order/task-stays", "{}", "mailbox full");
            new Task(
                            "undo a discard",
                            null,
                            List.of(
                                    dead,
                                    "text=Discarded dead letters that are still kept",
                                    "main tbody >> text=Undo …"),
                            page -> {
                                page.agree("Undo the discard", "a box was opened again");
                                page.sees("is a dead letter again.");
                            })
                    .run(visit);
        }
        assertThat(stage.count("select count(*) from outbox_dead_letter where subscription = 'mail'"))
                .as("the one that stays, and the one whose discard was undone")
                .isEqualTo(2);
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"task\":2}", "{\"task\": \"retry 6\"}"));
        eventually(() -> assertThat(Gateway.bodies())
                .filteredOn("{\"task\": \"replay\"}"::equals)
                .hasSize(2));
    }

    /**
     * @param find what is typed into the search, if something is
     * @param clicks from the overview to where the work is done
     * @param work what is done there, to its visible result
     */
    record Task(String name, String find, List<String> clicks, Consumer<Visit> work) {
        void run(Visit visit) {
            assertThat(clicks).as(name).hasSizeLessThanOrEqualTo(3);
            assertTimeout(
                    LIMIT_OF_A_TASK,
                    () -> {
                        visit.open("/");
                        if (find != null) {
                            visit.page.locator("[data-search]").fill(find);
                            visit.page.keyboard().press("Enter");
                            visit.page.locator("main tbody tr").first().waitFor();
                        }
                        clicks.forEach(
                                click -> visit.page.locator(click).first().click());
                        work.accept(visit);
                    },
                    name);
        }
    }
}
