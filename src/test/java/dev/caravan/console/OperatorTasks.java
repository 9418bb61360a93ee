package dev.caravan.console;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.console.ConsoleScene.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
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
        stage.insert("sms.sent", "order/task", "{\"task\": \"replay\"}");
        eventually(() -> assertThat(Gateway.bodies()).contains("{\"task\": \"replay\"}"));
        List<Task> tasks = List.of(
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
                        }),
                new Task("retry many", null, List.of(dead, "text=Retry all matching …"), visit -> {
                    visit.agree("Retry", "boxes are emptied");
                    visit.page.locator("dialog .job .is-good").waitFor();
                    visit.click("Close");
                    visit.sees("No dead letter matches.");
                }),
                new Task("course of a message", find, List.of("main tbody a.id"), visit -> visit.sees("attempt 10")),
                new Task(
                        "why a key is late",
                        "order/4711",
                        List.of("main tbody a.id >> nth=0", "text=Why is it not delivered?"),
                        visit -> visit.sees("It waits for another attempt")),
                new Task("who holds a gap", null, List.of(subscription), visit -> visit.sees("No id is missing.")),
                new Task("pause and resume", null, List.of(subscription, "text=Pause …"), visit -> {
                    visit.agree("Pause", "gateway moves");
                    visit.sees("sms is paused.");
                    visit.click("Resume …");
                    visit.agree("Resume", "gateway is back");
                    visit.sees("sms is running again.");
                }),
                new Task("replay two hours", null, List.of(subscription), visit -> {
                    visit.page.locator("input[name=since]").fill("2h");
                    visit.click("Count …");
                    visit.agree("Replay", "the receiver lost them");
                    visit.page.locator("dialog .job .is-good").waitFor();
                }),
                new Task(
                        "which relay works what",
                        null,
                        List.of("#navigation >> text=Relays"),
                        visit -> visit.sees("Relays and lanes")),
                new Task("time until the backlog is empty", null, List.of(), visit -> visit.sees("Time to drain")));
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
