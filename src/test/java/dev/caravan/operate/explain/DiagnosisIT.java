package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.text.HiddenCharacters;
import dev.caravan.operate.explain.Problem.Name;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiagnosisIT {
    private final FailureTables tables = new FailureTables();

    @BeforeEach
    void open() throws Exception {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 10, 'r1', now() + interval '1 hour')");
    }

    private List<Name> problems() throws Exception {
        return found().stream().map(Problem::name).toList();
    }

    private List<Problem> found() throws Exception {
        return found(new RecentSamples(), Set.of());
    }

    private List<Problem> found(RecentSamples samples, Set<String> filesNotLoaded) throws Exception {
        return Diagnosis.of(
                tables.dataSource(),
                samples,
                SubscriptionStatus.all(tables.dataSource()),
                new Intakes(tables.dataSource()).list(),
                List.of(),
                filesNotLoaded);
    }

    private void intake(String columns, String values) throws Exception {
        tables.execute("insert into outbox_intake (intake, source, relay, lease_until" + columns
                + ") values ('shop', 'shopDb.outbox', 'r1', clock_timestamp() + interval '1 hour'" + values + ")");
    }

    @Test
    void an_intake_that_copies_is_no_problem() throws Exception {
        intake("", "");

        assertThat(found()).isEmpty();
    }

    @Test
    void an_intake_that_fails_is_a_problem_at_once_without_its_error() throws Exception {
        intake(", failing_since, error", ", clock_timestamp(), 'secret row'");

        assertThat(found()).singleElement().satisfies(problem -> {
            assertThat(problem.name()).isEqualTo(Name.INTAKE_FAILING);
            assertThat(problem.subscription()).contains("intake:shop");
            assertThat(problem.text()).isEqualTo("intake shop fails and is tried again");
            assertThat(problem.since()).isPresent();
        });
    }

    @Test
    void a_halted_intake_is_one_problem_with_its_reason() throws Exception {
        intake(
                ", halted, error, caught_up_at",
                ", true, 'the mark does not end pending', clock_timestamp() - interval '2 hours'");

        assertThat(found()).singleElement().satisfies(problem -> {
            assertThat(problem.name()).isEqualTo(Name.INTAKE_HALTED);
            assertThat(problem.text()).isEqualTo("intake shop is halted: the mark does not end pending");
        });
    }

    @Test
    void an_intake_without_a_relay_that_lags_is_two_problems() throws Exception {
        intake(", caught_up_at", ", clock_timestamp() - interval '6 minutes'");
        tables.execute("update outbox_intake set lease_until = clock_timestamp()");

        assertThat(problems()).containsExactly(Name.INTAKE_UNOWNED, Name.INTAKE_LAGGING);
    }

    @Test
    void a_paused_intake_is_no_problem() throws Exception {
        intake(", paused, caught_up_at", ", true, clock_timestamp() - interval '2 days'");

        assertThat(found()).isEmpty();
    }

    @Test
    void new_dead_letters_of_an_intake_are_a_problem_as_those_of_a_subscription() throws Exception {
        intake("", "");
        tables.dead("intake:shop", 3, "last_failed_at", "clock_timestamp()");

        assertThat(found()).singleElement().satisfies(problem -> {
            assertThat(problem.name()).isEqualTo(Name.DEAD_LETTERS_GROWING);
            assertThat(problem.text()).isEqualTo("1 new dead letter of intake:shop within 15m");
        });
    }

    @Test
    void the_files_that_the_relay_could_not_load_are_one_problem() throws Exception {
        assertThat(found(new RecentSamples(), new TreeSet<>(Set.of("sms.camel.yaml", "orders.camel.yaml"))))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.name()).isEqualTo(Name.ROUTE_FILE_NOT_LOADED);
                    assertThat(problem.text())
                            .isEqualTo("a relay could not load orders.camel.yaml, sms.camel.yaml; its log says why");
                });
    }

    @Test
    void housekeeping_that_nobody_has_done_for_minutes_is_a_problem_while_something_runs() throws Exception {
        tables.execute("insert into outbox_lease (name, relay, instance, until) values ('housekeeping', 'r1',"
                + " gen_random_uuid(), clock_timestamp() - interval '4 minutes')");
        assertThat(found()).isEmpty();

        tables.execute("update outbox_lease set until = clock_timestamp() - interval '6 minutes'");
        assertThat(found()).singleElement().satisfies(problem -> {
            assertThat(problem.name()).isEqualTo(Name.PRUNING_HELD_BACK);
            assertThat(problem.text()).contains("no relay or application does housekeeping");
        });

        tables.execute("update outbox_subscription set owner = null, lease_until = null");
        assertThat(problems()).doesNotContain(Name.PRUNING_HELD_BACK);
    }

    @Test
    void housekeeping_that_nobody_has_ever_done_is_a_problem_after_minutes() throws Exception {
        Instant now = Instant.now();
        RecentSamples samples = new RecentSamples();
        samples.add(Statuses.sample(now.minusSeconds(200)));
        assertThat(found(samples, Set.of())).isEmpty();

        samples = new RecentSamples();
        samples.add(Statuses.sample(now.minusSeconds(400)));
        assertThat(found(samples, Set.of())).extracting(Problem::name).containsExactly(Name.PRUNING_HELD_BACK);
    }

    private void deadAndBlockedBefore(String age, int hours) throws Exception {
        String time = "clock_timestamp() + interval '" + hours + " hours' - interval '" + age + "'";
        tables.dead("sms", 1, "last_failed_at", time);
        tables.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, attempts, next_attempt_at, first_failed_at) select 'sms', n, gen_random_uuid(), 'order', '7', 'order.created',"
                        + " now(), n > 2, 1, case when n = 2 then " + time + " end, " + time
                        + " from generate_series(2, 3) n");
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 0, 2})
    void new_dead_letters_and_keys_that_fail_for_long_are_found_by_the_clock_of_the_database(int hours)
            throws Exception {
        deadAndBlockedBefore("5 minutes", hours);
        tables.database.shiftClock(hours);
        assertThat(problems()).contains(Name.DEAD_LETTERS_GROWING).doesNotContain(Name.KEY_BLOCKED_LONG);
    }

    @Test
    void a_prepared_transaction_that_keeps_a_gap_open_is_named() throws Exception {
        try (var writer = tables.database.begin()) {
            long missing = writer.insert("a");
            tables.database.insert("b");
            writer.run("prepare transaction 'of " + tables.database.database() + "'");
            tables.execute("update outbox_subscription set position = " + (missing + 1)
                    + ", gaps = int8multirange(int8range(" + missing + ", " + (missing + 1) + "))");
            tables.database.shiftClock(1);

            assertThat(found())
                    .filteredOn(problem -> problem.name() == Name.GAP_OPEN_LONG)
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.text())
                            .contains(
                                    "(prepared transaction of " + tables.database.database() + ") has been open for "));
        } finally {
            tables.execute("rollback prepared 'of " + tables.database.database() + "'");
        }
    }

    /** Whoever may insert chooses it: a line break would let the next line look like one of Caravan, for example a command. */
    @ParameterizedTest
    @ValueSource(strings = {"x'; drop table outbox; --\\n    ./trap", "\\x1b[2J\\r\\u202e", "\\\\ é", "plain"})
    void the_statement_that_ends_a_prepared_transaction_of_any_name_is_one_line_and_ends_it(String name)
            throws Exception {
        String escaped = name.replace("'", "''") + " of " + tables.database.database();
        try (var writer = tables.database.begin()) {
            writer.insert("a");
            writer.run("prepare transaction E'" + escaped + "'");

            String ends = OpenTransaction.all(tables.dataSource()).get(0).ends().orElseThrow();
            assertThat(HiddenCharacters.shownOnLine(ends)).isEqualTo(ends);
            tables.execute(ends);

            assertThat(OpenTransaction.all(tables.dataSource())).isEmpty();
        } finally {
            tables.database
                    .jdbc()
                    .queryForList(
                            "select format('rollback prepared %L', gid) from pg_prepared_xacts where database = current_database()",
                            String.class)
                    .forEach(tables.database.jdbc()::execute);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 0, 2})
    void old_dead_letters_are_not_new_whatever_the_clock_of_this_machine(int hours) throws Exception {
        deadAndBlockedBefore("61 minutes", hours);
        tables.database.shiftClock(hours);
        assertThat(problems()).contains(Name.KEY_BLOCKED_LONG).doesNotContain(Name.DEAD_LETTERS_GROWING);
    }

    @Test
    void two_hundred_subscriptions_need_as_many_statements_as_one() throws Exception {
        deadAndBlockedBefore("5 minutes", 0);
        int one = statements();
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " select 'other-' || n, 10, 'r1', now() + interval '1 hour' from generate_series(2, 200) n;"
                + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                + " blocked, attempts, next_attempt_at, first_failed_at) select 'other-' || s, n, gen_random_uuid(), 'order',"
                + " '7', 'order.created', now(), n > 1, 1, case when n = 1 then now() end, now()"
                + " from generate_series(2, 200) s, generate_series(1, 2) n");

        assertThat(statements()).isEqualTo(one);
    }

    /** Those of an overview. */
    private int statements() throws Exception {
        CountedStatements counted = new CountedStatements(tables.dataSource());
        Diagnosis.of(counted, new RecentSamples(), SubscriptionStatus.all(counted), List.of(), List.of(), Set.of());
        return counted.prepared();
    }
}
