package dev.caravan.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobsTest {
    private final Jobs jobs = new Jobs();

    @AfterEach
    void close() {
        jobs.close();
    }

    private String errorOf(String action, SQLException failure) throws Exception {
        Job job = jobs.start(new Job.Task(action, Optional.of("sms"), Map.of()), running -> {
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
    void a_replay_that_failed_is_not_to_be_started_again_from_its_beginning() throws Exception {
        assertThat(errorOf("replay", new SQLException("An I/O error occurred", "08006")))
                .contains("from the id after reachedId")
                .doesNotContain("start the job again");
    }
}
