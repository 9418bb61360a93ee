package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Jobs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A command follows two bulk retries, and a person ends one of them meanwhile. */
class FollowedBulkRetriesIT extends CommandFixture {
    @Command
    private static final class Printing {
        @Mixin
        private OutputOption output;
    }

    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final StringWriter printed = new StringWriter();
    private Jobs retries;

    @BeforeEach
    void create() throws Exception {
        retries = new Jobs(database.dataSource());
        for (String subscription : List.of("email", "sms")) {
            database.execute("insert into outbox_subscription (name, position, owner, lease_until) values ('"
                    + subscription + "', 10, 'r1', now() + interval '1 hour')");
            tables.deadMany(subscription, 20);
        }
    }

    /** On a replica that was promoted without it, another bulk retry can have its id. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "delete from outbox_subscription where name = 'sms'; delete from outbox_job where subscription = 'sms';"
                        + " delete from outbox_retry where subscription = 'sms'",
                "update outbox_job set started_at = started_at + interval '1 second' where subscription = 'sms'"
            })
    void one_that_no_longer_exists_is_reported_and_the_other_is_done(String change) throws Exception {
        CompletableFuture<Integer> code = follow();

        database.execute(change);
        deliverUntilEnd(code);

        assertThat(code.get()).isEqualTo(1);
        assertThat(reports)
                .contains(
                        "Bulk retry 2 of sms no longer exists: its subscription was deleted, or a replica that lacks it was"
                                + " promoted.");
        assertThat(printed.toString())
                .startsWith("Bulk retry 1 of email is done: 20 dead letters retried, 20 delivered");
    }

    @Test
    void one_that_is_canceled_is_shown_and_the_other_is_done() throws Exception {
        CompletableFuture<Integer> code = follow();

        retries.cancel(2, FailureTables.anna());
        deliverUntilEnd(code);

        assertThat(code.get()).isEqualTo(1);
        assertThat(printed.toString())
                .contains("Bulk retry 1 of email is done")
                .contains("Bulk retry 2 of sms is cancelled: 5 dead letters retried");
    }

    private CompletableFuture<Integer> follow() throws Exception {
        Actor anna = FailureTables.anna();
        FollowedBulkRetries followed = new FollowedBulkRetries(retries, anna, reports::add);
        for (String subscription : List.of("email", "sms")) {
            followed.add(retries.startBulkRetry(MessageFilter.ALL, subscription, 20, OptionalInt.empty(), anna));
        }
        Printing command = new Printing();
        new CommandLine(command).setOut(new PrintWriter(printed)).parseArgs();
        CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> {
            try (Interruption none = new Interruption()) {
                return followed.follow(none, command.output, Map.of());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        eventually(() -> assertThat(tables.count("outbox_retry")).isEqualTo(10));
        return code;
    }

    private void deliverUntilEnd(CompletableFuture<Integer> code) throws Exception {
        eventually(() -> {
            database.execute("delete from outbox_retry");
            assertThat(code).succeedsWithin(1, TimeUnit.MILLISECONDS);
        });
    }
}
