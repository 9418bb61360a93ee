package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** A table of an application, and the commands on captures. */
abstract class CaptureFixture extends CaptureCommands {
    static final String TABLE = "create schema shop; create table shop.bookings (id bigint primary key,"
            + " status text not null, tenant text, seats int, note text)";

    static final String ALL_EVENTS = """
            table: shop.bookings
            aggregate-type: booking
            events:
              - on: insert
                type: booking.created
                headers:
                  tenant: tenant
              - on: update
                of: [status]
                type: booking.{status}
                payload: old-and-new
              - on: update
                of: seats
                when: new.seats > 10
                type: booking.grew
                payload: [id, seats]
              - on: delete
                type: booking.deleted
                payload: none
            """;

    JdbcTemplate application;
    String role;

    CaptureFixture() {
        super(TABLE);
    }

    void expect(String name, String yaml, String... texts) throws Exception {
        Path file = write(name, yaml);
        String role = name.equals("rights") ? role() : "postgres";
        String settings =
                CommandRun.config(folder, database.url(), role, "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES);
        assertThat(CommandRun.of("capture", "apply", file.toString(), "--config", settings)
                        .assertFailed()
                        .err())
                .as(name)
                .contains(file + ":")
                .contains(texts)
                .contains("Nothing was changed");
    }

    static String minimal(String table) {
        return "table: " + table + "\naggregate-type: x\nevents:\n  - {on: insert, type: x.added}\n";
    }

    void applied(String name, String yaml) throws Exception {
        CommandRun run = run("apply", write(name, yaml).toString());
        assertThat(run.err()).isEmpty();
        run.assertDone();
    }

    /** The role of the application: it may write its tables, and nothing else. */
    synchronized String role() throws SQLException {
        if (role == null) {
            role = database.role("application");
            database.execute("grant usage on schema shop to " + role
                    + "; grant insert, update, delete, select on all tables in schema shop to " + role);
        }
        return role;
    }

    void write(String sql) throws SQLException {
        if (application == null) {
            application = new JdbcTemplate(database.unpooledAs(role(), TestOutbox.PASSWORD_OF_ROLES));
        }
        application.execute(sql);
    }

    List<String> types() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || type from outbox order by id",
                        String.class);
    }
}
