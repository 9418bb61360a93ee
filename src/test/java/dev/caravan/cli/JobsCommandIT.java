package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job whose command was killed, and what another person sees and does. */
class JobsCommandIT extends CommandFixture {
    private static final String CANCELLED =
            "Job 1 (discard dead letters of sms, 1,000 of 1,600 done) is cancelled. What was changed remains changed.";

    private Jobs jobs;

    JobsCommandIT() {
        super("jobs");
    }

    @BeforeEach
    void makeOneStep() throws Exception {
        tables.deadMany("sms", 1_600);
        jobs = new Jobs(database.dataSource());
        Job job = jobs.start(
                new Jobs.Task(
                        "discard",
                        Optional.of("sms"),
                        Map.of("of", "dead letters", "filter", Map.of("subscription", "sms"))),
                OptionalInt.empty(),
                Optional.of(UUID.randomUUID()),
                OptionalLong.of(1_600),
                FailureTables.anna());
        jobs.step(job.id());
    }

    @Test
    void the_list_says_what_a_job_does_how_far_it_is_and_who_began_it() throws Exception {
        assertThat(run("list").out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title).isEqualTo("ID WHAT SUBSCRIPTION STATE DONE STARTED BY NOTE"),
                        job -> assertThat(job)
                                .matches("1 discard dead letters sms running 1,000 of 1,600 .* ago anna -"));
        JsonNode job = run("list", "--output", "json").json().get(0);
        assertThat(job.get("state").asText()).isEqualTo("running");
        assertThat(job.get("total").asInt()).isEqualTo(1_600);
        assertThat(job.get("who").asText()).isEqualTo("anna");
    }

    @Test
    void a_job_is_cancelled_after_a_question_and_the_audit_has_who_did_it() throws Exception {
        CommandRun asked = run("cancel", "1");
        CommandRun cancelled = run("cancel", "1", "--yes", "--who", "ben", "--reason", "the wrong filter");
        CommandRun again = run("cancel", "1", "--yes", "--output", "json");

        asked.assertWrongUse("Cancel job 1 (discard dead letters of sms, 1,000 of 1,600 done)?", "--yes");
        assertThat(cancelled.out().strip()).isEqualTo(CANCELLED);
        cancelled.assertDone();
        assertThat(jobs.step(1)).isFalse();
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(600);
        assertThat(database.text("select concat_ws(' ', who, action, subscription, detail ->> 'change',"
                        + " detail ->> 'job', reason) from outbox_audit order by id desc limit 1"))
                .isEqualTo("ben discard sms cancel 1 the wrong filter");
        again.assertFailed();
        assertThat(again.json().get("state").asText()).isEqualTo("cancelled");
        assertThat(run("cancel", "1").out()).contains("is cancelled. Nothing was changed.");
    }

    @Test
    void what_is_no_job_is_refused_with_what_to_do() throws Exception {
        Job retry = jobs.startBulkRetry(MessageFilter.ALL, "sms", 600, OptionalInt.empty(), FailureTables.anna());

        CommandRun unknown = run("cancel", "77", "--yes");
        CommandRun bulk = run("cancel", Long.toString(retry.id()), "--yes");

        unknown.assertFailed("There is no job 77. Nothing was changed. See: ./caravan jobs list");
        bulk.assertFailed("./caravan bulk-retries cancel " + retry.id());
        assertThat(jobs.find(retry.id()).orElseThrow().isRunning()).isTrue();
    }
}
