package dev.caravan.operate.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.StoredContent;
import dev.caravan.camel.outbox.TestOutbox;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AuditIT {
    private final TestOutbox outbox = TestOutbox.create();

    /** A list with all of them could take the whole heap of a relay. */
    @Test
    void only_the_newest_entries_have_the_original_of_an_edited_message_when_all_are_too_large() throws SQLException {
        outbox.execute(
                "insert into outbox_audit (who, action, subscription, message, detail) select 'anna', 'retry', 'sms', 7,"
                        + " jsonb_build_object('attempts', n, 'original', jsonb_build_object('payload', repeat('x', "
                        + StoredContent.MOST_BYTES / 3 + "))) from generate_series(1, 5) n");
        Audit audit = new Audit(outbox.dataSource());

        List<AuditEntry> newest = audit.latest(Optional.empty(), Long.MAX_VALUE, 10);
        assertThat(newest).extracting(AuditEntry::id).containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(newest)
                .extracting(entry -> entry.fields().has("original"))
                .containsExactly(true, true, false, false, false);
        assertThat(newest)
                .allSatisfy(entry -> assertThat(entry.fields().has("attempts")).isTrue());
        assertThat(audit.latest(Optional.of("sms"), Long.MAX_VALUE, 10)).isEqualTo(newest);
        assertThat(audit.ofMessage("sms", 7))
                .hasSameElementsAs(newest)
                .extracting(AuditEntry::id)
                .isSorted();
    }
}
