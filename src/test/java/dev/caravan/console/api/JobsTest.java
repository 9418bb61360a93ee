package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobsTest {
    private final Jobs jobs = new Jobs();

    @AfterEach
    void close() {
        jobs.close();
    }

    private String errorOf(String action, SQLException failure) throws Exception {
        Job job = start(action, running -> {
            running.done(2_000);
            throw failure;
        });
        eventually(Duration.ofSeconds(5), () -> assertThat(job.fields()).containsEntry("state", "failed"));
        return (String) job.fields().get("error");
    }

    @Test
    void a_step_that_took_too_long_does_not_hide_that_earlier_steps_have_changed_messages() throws Exception {
        assertThat(errorOf("discard", new SQLException("canceling statement due to statement timeout", "57014")))
                .startsWith("The database took too long.")
                .contains("Messages changed so far stay changed")
                .doesNotContain("Nothing was changed");
    }

    @Test
    void jobs_that_wait_hold_no_other_job_up() throws Exception {
        for (int i = 0; i < 3; i++) {
            start("waits " + i, job -> {
                while (job.mayContinue()) {
                    job.pass(1_000_000);
                }
                return false;
            });
        }

        Job other = start("retry", job -> true);

        eventually(Duration.ofSeconds(5), () -> assertThat(other.fields()).containsEntry("state", "done"));
        assertThat(jobs.all()).filteredOn(Job::isRunning).hasSize(3);
    }

    @Test
    void two_jobs_work_at_the_same_time() throws Exception {
        var atWork = new AtomicInteger();
        var end = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) {
            start("works " + i, job -> {
                atWork.incrementAndGet();
                end.await();
                return true;
            });
        }

        eventually(Duration.ofSeconds(5), () -> assertThat(atWork).hasValue(2));
        end.countDown();

        eventually(
                Duration.ofSeconds(5),
                () -> assertThat(jobs.all()).noneMatch(Job::isRunning).hasSize(5));
        assertThat(atWork).hasValue(5);
    }

    @Test
    void a_job_that_ends_with_an_error_of_the_jvm_has_failed() throws Exception {
        Job job = start("discard", running -> {
            throw new NoClassDefFoundError("dev/caravan/Missing");
        });

        eventually(Duration.ofSeconds(5), () -> assertThat(job.fields()).containsEntry("state", "failed"));
    }

    private Job start(String action, Jobs.Work work) {
        return jobs.start(new Job.Task(action, Optional.of("sms"), Map.of()), work);
    }

    @Test
    void a_replay_that_failed_is_not_to_be_started_again_from_its_beginning() throws Exception {
        assertThat(errorOf("replay", new SQLException("An I/O error occurred", "08006")))
                .contains("from the id after reachedId")
                .doesNotContain("start the job again");
    }
}
