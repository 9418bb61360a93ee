package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

class LeftOpenOutboxesIT {
    private static TestOutbox ofOneTest;
    private static TestOutbox shared;

    @AfterAll
    static void close() throws Exception {
        shared.close();
    }

    @RepeatedTest(2)
    void the_next_test_finds_open_only_what_classes_share() throws Exception {
        if (ofOneTest == null) {
            ofOneTest = TestOutbox.create();
            shared = TestOutbox.create().sharedByClasses();
        } else {
            assertThatThrownBy(() -> ofOneTest.number("select 1")).isInstanceOf(CannotGetJdbcConnectionException.class);
            assertThat(shared.number("select 1")).isOne();
        }
    }

    @Test
    void one_that_cannot_be_closed_leaves_no_other_open() throws Exception {
        TestOutbox template = TestOutbox.create();
        TestOutbox other = TestOutbox.create();
        template.execute("alter database " + template.database() + " is_template true");

        assertThatThrownBy(() -> LeftOpenOutboxes.closeAll(List.of(template, other)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("template");

        assertThatThrownBy(() -> other.number("select 1")).isInstanceOf(CannotGetJdbcConnectionException.class);
    }
}
