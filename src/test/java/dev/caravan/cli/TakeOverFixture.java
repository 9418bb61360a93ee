package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** A table that a poller of the application works, and the command that takes it over. */
abstract class TakeOverFixture extends CaptureCommands {
    static final String TABLE = "create schema app; create table app.emails (id bigint generated always as identity"
            + " primary key, kind text not null default 'mail', status text not null default 'pending', address text, sent boolean"
            + " not null default false, sent_at timestamptz, attempts int not null default 0,"
            + " done boolean generated always as (sent) stored)";

    static final String FILE = """
            table: app.emails
            aggregate-type: email
            events:
              - on: insert
                type: email.requested
            take-over:
              subscription: email
              pending: not sent
              mark: sent = true, sent_at = now()
            """;

    String role;

    TakeOverFixture() {
        super(TABLE);
    }

    void taken(String yaml) throws IOException {
        CommandRun run = takeOver(yaml, "--poller-stopped", "--yes");
        assertThat(run.err()).isEmpty();
        run.assertDone();
    }

    CommandRun takeOver(String yaml, String... more) throws IOException {
        return CommandRun.of(
                List.of("capture", "take-over", write("emails", yaml).toString(), "--config", config), more);
    }

    String role(String name) throws SQLException {
        role = database.role(name);
        return role;
    }

    /** By a role that may write its tables, and nothing else. */
    void writeAsApplication(String sql) throws SQLException {
        if (role == null) {
            role("application");
            database.execute("grant usage on schema app to " + role
                    + "; grant insert, update, delete, select on all tables in schema app to " + role);
        }
        new JdbcTemplate(database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES)).execute(sql);
    }

    List<String> pending() {
        return database.jdbc().queryForList("select address from app.emails where not sent order by id", String.class);
    }

    long installed() throws SQLException {
        return database.number("select (select count(*) from pg_proc where proname like 'outbox_capture%')"
                + " + (select count(*) from pg_trigger where tgname like '%outbox_capture%')");
    }

    List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || (payload->>'address') || ' ' || (payload->>'sent')"
                                + " from outbox order by id",
                        String.class);
    }

    List<String> audit() {
        return database.jdbc().queryForList("select action from outbox_audit order by id", String.class);
    }
}
