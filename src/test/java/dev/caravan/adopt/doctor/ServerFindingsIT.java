package dev.caravan.adopt.doctor;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.adopt.doctor.FindingKind.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.Eventually;
import dev.caravan.base.text.SqlText;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Database;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Problems of the server and of sessions. Each is removed again, because the server is shared. Takes about 5 s. */
class ServerFindingsIT {
    private static DoctorDatabase database;

    @BeforeAll
    static void create() throws SQLException {
        database = DoctorDatabase.create();
        database.execute("create table mail (id bigserial primary key, sent boolean default false)");
    }

    private static List<Finding> findings(FindingKind kind) throws SQLException {
        return database.findingsWithoutLimits("mail", kind);
    }

    @Test
    void a_long_transaction_and_one_that_is_idle_with_a_lock() throws Exception {
        try (Connection session = database.connect()) {
            session.setAutoCommit(false);
            session.createStatement().execute("set application_name = 'worker'; insert into mail default values");

            assertThat(database.examine("mail").findings())
                    .extracting(Finding::kind)
                    .doesNotContain(LONG_TRANSACTION, IDLE_IN_TRANSACTION);
            Finding idle = findings(IDLE_IN_TRANSACTION).get(0);
            assertThat(idle.figure()).endsWith("with RowExclusiveLock");
            assertThat(idle.about()).contains("application worker", "user postgres");
            assertThat(findings(LONG_TRANSACTION)).anySatisfy(finding -> assertThat(finding.about())
                    .contains("application worker", "idle in transaction"));
        }
        // the server ends a session after its client
        eventually(() -> assertThat(findings(IDLE_IN_TRANSACTION)).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"it's mine", "it's \\ mine\n\nselect 1; \u202e\ud83d\ude00"})
    void a_prepared_transaction(String name) throws Exception {
        try (Connection session = database.connect()) {
            session.setAutoCommit(false);
            session.createStatement().execute("insert into mail default values");
            session.createStatement().execute("prepare transaction " + SqlText.literal(name));
        }

        Finding finding = findings(PREPARED_TRANSACTION).get(0);

        assertThat(finding.about()).startsWith("prepared transaction it's ");
        assertThat(finding.sql()).matches("[ -~]+");
        database.execute(finding.sql());
        assertThat(findings(PREPARED_TRANSACTION)).isEmpty();
    }

    @Test
    void a_slot_that_holds_vacuum_back_and_keeps_wal() throws Exception {
        database.execute("select pg_create_logical_replication_slot('forgotten', 'pgoutput')");
        database.execute("insert into mail default values", "insert into mail default values");

        Finding wal = findings(SLOT_KEEPS_WAL).get(0);
        assertThat(wal.about()).isEqualTo("slot forgotten (logical, inactive)");
        assertThat(wal.severity()).isEqualTo(Severity.WARNING);
        Finding vacuum = findings(SLOT_HOLDS_VACUUM).get(0);
        assertThat(vacuum.figure()).startsWith("keeps row versions of ");
        assertThat(database.examine("mail").findings())
                .extracting(Finding::kind)
                .doesNotContain(SLOT_KEEPS_WAL);
        database.execute(vacuum.sql());
        assertThat(findings(SLOT_HOLDS_VACUUM)).isEmpty();
    }

    /** The slot is invalidated by a checkpoint. */
    @Test
    @Tag("long")
    void a_slot_whose_wal_is_lost() throws Exception {
        database.execute(
                "select pg_create_physical_replication_slot('lost', true)",
                "alter system set max_slot_wal_keep_size = '1MB'",
                "select pg_reload_conf()");
        try {
            for (int i = 0; i < 3; i++) {
                database.execute("insert into mail default values", "select pg_switch_wal()", "checkpoint");
            }

            Finding finding = DoctorDatabase.only(SLOT_KEEPS_WAL, database.examine("mail"))
                    .get(0);

            assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(finding.figure()).isIn("its WAL is lost", "its WAL is unreserved");
            database.execute(finding.sql());
        } finally {
            reset("max_slot_wal_keep_size");
        }
    }

    /** A client that uses the replication protocol reports the oldest transaction of its queries, as a standby does. */
    @Test
    @Tag("long")
    void a_standby_that_holds_vacuum_back() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("user", "postgres");
        properties.setProperty("password", "postgres");
        properties.setProperty("replication", "true");
        properties.setProperty("assumeMinServerVersion", "14");
        properties.setProperty("preferQueryMode", "simple");
        properties.setProperty("ApplicationName", "reports");
        try (Connection standby = DriverManager.getConnection(database.url(), properties)) {
            var copy = standby.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyDual("START_REPLICATION " + database.text("select pg_current_wal_lsn()"));
            int oldest = Integer.parseInt(database.text("select pg_snapshot_xmin(pg_current_snapshot())"));
            byte[] feedback = ByteBuffer.allocate(25)
                    .put((byte) 'h')
                    .putLong(0)
                    .putInt(oldest)
                    .putInt(0)
                    .putInt(0)
                    .putInt(0)
                    .array();
            copy.writeToCopy(feedback, 0, feedback.length);
            copy.flushCopy();
            database.execute("insert into mail default values", "insert into mail default values");

            Eventually.eventually(() -> assertThat(findings(STANDBY_HOLDS_VACUUM))
                    .singleElement()
                    .extracting(Finding::about)
                    .asString()
                    .startsWith("standby reports"));
        }
    }

    @Test
    void wraparound_of_the_database_and_the_table() throws Exception {
        for (int i = 0; i < 3; i++) {
            database.execute("insert into mail default values");
        }

        assertThat(findings(WRAPAROUND))
                .hasSize(2)
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
                .extracting(Finding::about)
                .containsExactly("database " + database.name(), "table public.mail");
        Limits none = new Limits(Limits.DEFAULT.openTransaction(), Limits.DEFAULT.idleInTransaction(), 1, 1, 1, 1, 1);
        assertThat(DoctorDatabase.only(
                        WRAPAROUND,
                        DoctorDatabase.doctor(database.dataSource(), none).examine(DoctorDatabase.DEFAULT)))
                .singleElement()
                .extracting(Finding::severity)
                .isEqualTo(Severity.CRITICAL);
    }

    @Test
    @Tag("long")
    void settings_that_lose_commits() throws Exception {
        for (var setting : List.of(FULL_PAGE_WRITES_OFF, AUTOVACUUM_OFF)) {
            String name = setting.id().replaceFirst("-off$", "").replace('-', '_');
            change("alter system set " + name + " = off", name, "off");
            try {
                Finding finding = database.findings("mail", setting).get(0);
                for (String statement : finding.sql().split("\n")) {
                    database.execute(statement);
                }
                Eventually.eventually(
                        () -> assertThat(database.findings("mail", setting)).isEmpty());
            } finally {
                reset(name);
            }
        }
        database.execute("alter system reset track_counts", "select pg_reload_conf()");
    }

    @Test
    void synchronous_commit_of_the_database_or_a_role() throws Exception {
        String role = "\"" + database.name() + " Writer\"";
        database.execute("create role " + role, "alter role " + role + " set synchronous_commit = off");

        Finding finding = database.findings("mail", SYNCHRONOUS_COMMIT_OFF).get(0);

        assertThat(finding.about()).isEqualTo("setting synchronous_commit of role " + role);
        database.execute(finding.sql());
        assertThat(database.findings("mail", SYNCHRONOUS_COMMIT_OFF)).isEmpty();
        database.execute("alter database " + database.name() + " set synchronous_commit = off");
        database.execute(
                database.findings("mail", SYNCHRONOUS_COMMIT_OFF).get(0).sql());
        assertThat(database.findings("mail", SYNCHRONOUS_COMMIT_OFF)).isEmpty();
        database.execute("alter role all set synchronous_commit = false");
        Finding all = database.findings("mail", SYNCHRONOUS_COMMIT_OFF).get(0);
        database.execute(all.sql());
        assertThat(all.about()).isEqualTo("setting synchronous_commit of role all");
        assertThat(database.findings("mail", SYNCHRONOUS_COMMIT_OFF)).isEmpty();
    }

    /** The server of the other tests does not have to survive a crash. */
    @Test
    void fsync_off() throws Exception {
        Report report = DoctorDatabase.doctor(TestOutbox.withoutTables().dataSource(), Limits.DEFAULT)
                .examine(DoctorDatabase.DEFAULT);

        assertThat(DoctorDatabase.only(FSYNC_OFF, report)).hasSize(1);
        assertThat(report.critical()).isPositive();
    }

    @Test
    @Tag("long")
    void synchronous_commit_of_this_session() throws Exception {
        var asynchronous =
                Database.unpooled(database.url() + "?options=-c%20synchronous_commit=off", "postgres", "postgres");

        assertThat(DoctorDatabase.only(
                        SYNCHRONOUS_COMMIT_OFF,
                        DoctorDatabase.doctor(asynchronous, Limits.DEFAULT)
                                .examine(DoctorDatabase.request("mail", null))))
                .singleElement()
                .extracting(Finding::about)
                .isEqualTo("setting synchronous_commit");
    }

    private static void reset(String setting) throws SQLException {
        database.execute("alter system reset " + setting, "select pg_reload_conf()");
    }

    private static void change(String statement, String setting, String value) throws Exception {
        database.execute(statement, "select pg_reload_conf()");
        Eventually.eventually(() -> assertThat(database.text("show " + setting)).isEqualTo(value));
    }
}
