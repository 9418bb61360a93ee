package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten days old and delivered: outbox_from_0; ids are drawn in outbox_from_1000000. */
class PartitionsCommandIT extends CommandFixture {
    private static final String AGED = "insert into outbox (aggregate_type, aggregate_id, type, created_at)"
            + " select 'order', '1', 'order.created', now() - interval '10 days' from generate_series(1, 5)";

    PartitionsCommandIT() {
        super("partitions");
    }

    @BeforeEach
    void age() {
        command("schema", "apply");
        database.execute(AGED + "; select setval('outbox_id_seq', 1000000); " + AGED);
        database.execute("insert into outbox_subscription (name, position) values ('email', 1000005)");
    }

    @Test
    void list_shows_each_partition_and_what_can_be_done_with_it() throws Exception {
        String table = run("list").out();

        assertThat(table).startsWith("PARTITION");
        assertThat(row(table, "outbox_from_0")).contains("0", "999999", "kB").endsWith("prunable");
        assertThat(row(table, "outbox_from_1000000")).endsWith("current");
        assertThat(row(table, "outbox_from_2000000")).endsWith("ahead");
        assertThat(row(table, "outbox_default")).endsWith("empty");
        assertThat(row(run("list", "--older-than", "11d").out(), "outbox_from_0"))
                .endsWith("retained");

        database.execute("update outbox_subscription set position = 3, paused = true");
        assertThat(row(run("list").out(), "outbox_from_0")).endsWith("held back: subscription email is paused");
        JsonNode first = run("list", "--output", "json").json().get(0);
        assertThat(first.get("state").asText()).isEqualTo("held-back");
        assertThat(first.get("toId").asLong()).isEqualTo(999_999);
        assertThat(first.get("heldBackBy").get(0).get("subscription").asText()).isEqualTo("email");
    }

    private static String row(String table, String name) {
        return table.lines()
                .filter(line -> line.startsWith(name + " "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("long")
    void a_dry_run_changes_nothing() throws Exception {
        assertThat(run("prune", "--dry-run").out()).startsWith("Would prune 1 partition (outbox_from_0; ");
        assertThat(run("prune", "--dry-run", "--older-than", "11d").out()).startsWith("Nothing to prune.");

        assertThat(database.number("select count(*) from outbox_from_0")).isEqualTo(5);
        assertThat(database.number("select count(*) from outbox_audit")).isZero();
    }

    @Test
    void prune_asks_before_it_drops() throws Exception {
        run("prune").assertWrongUse("Drop 1 partition (outbox_from_0", "--yes");
        assertThat(database.number("select count(*) from outbox_from_0")).isEqualTo(5);
    }

    @Test
    void prune_drops_and_the_audit_records_who() throws Exception {
        JsonNode pruned = run("prune", "--yes", "--who", "anna", "--reason", "disk", "--output", "json")
                .json();

        assertThat(pruned.get("pruned").get(0).asText()).isEqualTo("outbox_from_0");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(5);
        assertThat(database.text("select who || action || subscription || reason || (detail->>'pruned')"
                        + " || (detail->>'finished') || (detail->>'olderThan') from outbox_audit"))
                .isEqualTo("annaprune*disk[\"outbox_from_0\"]true7d");
        assertThat(run("prune", "--yes").out()).startsWith("Nothing to prune.");
        assertThat(database.number("select count(*) from outbox_audit")).isEqualTo(1);
    }

    @Test
    void what_holds_back_pruning_is_reported() throws Exception {
        database.execute("update outbox_subscription set position = 3, paused = true");

        assertThat(run("prune", "--yes").assertDone().err())
                .contains("outbox_from_0 is held back: subscription email is paused.");
        assertThat(database.number("select count(*) from outbox_from_0")).isEqualTo(5);
    }

    @Test
    void a_prune_whose_connection_is_cut_is_finished_by_the_next_one_and_the_audit_names_both() throws Exception {
        database.execute("create function die() returns event_trigger language plpgsql as"
                + " 'begin perform pg_terminate_backend(pg_backend_pid()); end'");
        database.execute("create event trigger dies on ddl_command_start when tag in ('DROP TABLE')"
                + " execute function die()");

        assertThat(run("prune", "--yes", "--who", "anna")
                        .assertFailed(
                                "A partition that is detached but not dropped is dropped by the next prune",
                                "terminating")
                        .err())
                .doesNotContain("Dropped");
        database.execute("drop event trigger dies");

        assertThat(run("prune", "--who", "ben").err()).contains("Dropped outbox_from_0.");
        assertThat(database.text(
                        "select string_agg(concat_ws(' ', who, detail -> 'pruned', detail ->> 'finished'), ' ' order by id)"
                                + " from outbox_audit"))
                .isEqualTo("anna [] false ben [\"outbox_from_0\"] true");
        assertThat(database.number("select count(*) from pg_class where relname = 'outbox_from_0'"))
                .isZero();
    }

    @Test
    @Tag("long")
    void with_the_retention_off_an_age_is_required() throws Exception {
        config = CommandRun.config(folder, database, "caravan.retention = off");

        run("prune", "--yes").assertWrongUse();
        run("prune", "--yes", "--older-than", "off").assertWrongUse();
        assertThat(run("prune", "--yes", "--older-than", "7d").out()).startsWith("Pruned 1 partition.");
    }

    @Test
    @Tag("long")
    void a_wrong_retention_is_reported_by_the_check_of_settings() throws Exception {
        config = CommandRun.config(folder, database, "caravan.retention = seven days");

        run("list").assertWrongUse("caravan.retention must be an age such as 12h, 7d or 30d, or off, got seven days");
    }
}
