package dev.caravan.lab.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.ApplicationTransaction;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Progress;
import dev.caravan.engine.progress.SavedProgress;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The raw loop is a fair limit only if it neither skips what is committed late nor waits for what was rolled back. */
@Tag("long")
class RawSettlingIT {
    private final Progress progress = new Progress(new SavedProgress(0, new IdRanges()));
    private final TestOutbox database = TestOutbox.create();
    private ApplicationTransaction writer;
    private Connection reader;
    private RawSettling settling;

    @BeforeEach
    void leaveIdOneOpen() throws SQLException {
        reader = database.unpooled().getConnection();
        writer = database.begin();
        writer.insert("1");
        database.insert(1);
        settling = new RawSettling(reader);
        progress.take(2);
        progress.delivered(2);
    }

    @AfterEach
    void disconnect() throws SQLException {
        writer.close();
        reader.close();
    }

    @Test
    void an_id_of_an_open_transaction_is_not_settled() throws SQLException {
        read();
        read();
        read();

        assertThat(progress.missing().contains(1)).isTrue();
    }

    @Test
    void an_id_that_was_rolled_back_is_settled() throws SQLException {
        read();
        writer.rollback();
        read();

        assertThat(progress.missing().isEmpty()).isTrue();
        assertThat(progress.toSave().gaps().isEmpty()).isTrue();
    }

    @Test
    void an_incomplete_read_decides_nothing() throws SQLException {
        read();
        writer.rollback();
        settling.readStarts(progress);

        assertThat(settling.readEnded(progress, false)).isFalse();
        assertThat(progress.missing().contains(1)).isTrue();
    }

    private void read() throws SQLException {
        settling.readStarts(progress);
        settling.readEnded(progress, true);
    }
}
