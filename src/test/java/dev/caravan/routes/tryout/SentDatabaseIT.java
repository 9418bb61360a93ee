package dev.caravan.routes.tryout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.SqlSent;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SentDatabaseIT {
    private final Recorder recorder = new Recorder(Answers.ACCEPTED, true);
    private TestOutbox outbox;
    private Connection connection;
    private PreparedStatement insert;

    @BeforeEach
    void connect() throws Exception {
        outbox = TestOutbox.create();
        outbox.execute("create table seen (total integer check (total > 0))");
        connection = new SentDatabase(outbox.dataSource(), recorder, null).getConnection();
        insert = connection.prepareStatement("insert into seen values (?)");
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        outbox.close();
    }

    @Test
    void statements_of_a_batch_are_recorded_with_their_answers_when_the_batch_is_executed() throws Exception {
        add(7);
        add(8);
        assertThat(recorder.take()).isEmpty();

        insert.executeBatch();

        List<Recorded> recorded = recorder.take();
        assertThat(recorded)
                .extracting(each -> ((SqlSent) each.sent()).parameters())
                .containsExactly(List.of(7), List.of(8));
        assertThat(recorded).extracting(each -> each.answer().detail()).containsExactly("1 row", "1 row");
    }

    @Test
    void no_statement_of_a_batch_that_is_rolled_back_is_recorded_as_executed() throws Exception {
        add(7);
        add(-1);

        assertThatThrownBy(insert::executeBatch).isInstanceOf(BatchUpdateException.class);

        assertThat(recorder.take())
                .hasSize(2)
                .extracting(Recorded::answer)
                .allMatch(Answer::isFailure)
                .allSatisfy(answer -> assertThat(answer.detail()).contains("seen_total_check"));
        assertThat(outbox.number("select count(*) from seen")).isZero();
    }

    @Test
    void a_batch_that_is_cleared_is_not_recorded() throws Exception {
        add(7);
        insert.clearBatch();
        add(8);
        insert.executeLargeBatch();

        assertThat(recorder.take())
                .extracting(each -> ((SqlSent) each.sent()).parameters())
                .containsExactly(List.of(8));
    }

    private void add(int total) throws SQLException {
        insert.setInt(1, total);
        insert.addBatch();
    }
}
