package dev.caravan.operate.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.CountedBuffers;
import dev.caravan.camel.outbox.TestOutbox;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AuditRetentionIT {
    private static final Duration YEAR = Duration.ofDays(365);

    private final TestOutbox outbox = TestOutbox.create();

    private void changed(int times, String age) throws SQLException {
        outbox.execute(
                "insert into outbox_audit (at, who, action, subscription, message)" + " select now() - interval '" + age
                        + "', 'anna', 'retry', 'sms', n from generate_series(1, " + times + ") n");
    }

    @Test
    void rows_older_than_the_retention_are_deleted_in_bounded_steps() throws SQLException {
        changed(2_500, "366 days");
        changed(2_000, "364 days");
        CountedBuffers database = new CountedBuffers(outbox.dataSource());

        assertThat(new AuditRetention(database, YEAR).prune()).isEqualTo(2_500);

        assertThat(outbox.number("select count(*) from outbox_audit where at > now() - interval '365 days'"))
                .isEqualTo(2_000);
        assertThat(database.runs("operate/prune_audit")).isEqualTo(3);
    }

    @Test
    void a_round_without_old_rows_looks_at_the_oldest_ones_only() throws SQLException {
        changed(50_000, "1 day");
        outbox.execute("vacuum analyze outbox_audit");
        CountedBuffers database = new CountedBuffers(outbox.dataSource());

        assertThat(new AuditRetention(database, YEAR).prune()).isZero();

        assertThat(database.most().get("operate/prune_audit")).isLessThan(100);
    }

    @Test
    void a_relay_needs_the_right_to_delete_rows_of_the_audit_only_for_this() throws SQLException {
        changed(1, "366 days");
        String role = outbox.roleWithGrants();
        outbox.execute("revoke delete on outbox_audit from " + role);
        AuditRetention retention = new AuditRetention(outbox.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES), YEAR);

        assertThatThrownBy(retention::prune).hasMessageContaining("permission denied for table outbox_audit");

        outbox.execute("grant select, delete on outbox_audit to " + role);
        assertThat(retention.prune()).isEqualTo(1);
    }
}
