package dev.caravan.adopt.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PollStatementTest {
    @Test
    void literals_and_comments_are_not_shown_and_texts_are_short() {
        PollStatement poll = PollStatement.of(
                "/* trace secret */ select 'it''s secret', E'a\\'secret', $x$secret$x$, 4711 -- it's secret\r, 'a\nsecret' from mail"
                        + " where id > 12 and name = 'secret order by id",
                200,
                10,
                1);

        assertThat(poll.text()).isEqualTo("select ?, e?, ?, ? , ? from mail where id > ? and name = ?");
        assertThat(PollStatement.of("select " + "x, ".repeat(200) + "y from mail", 1, 1, 1)
                        .shown())
                .hasSize(160);
    }

    @Test
    void forms_of_cursors() {
        assertThat(List.of(
                        "select * from mail where id > $1 order by id limit $2",
                        "select * from mail m where m.id >= $1 limit $2",
                        "select * from mail where \"id\" > coalesce($1, $2) order by id",
                        "select * from mail where id > (select position from cursors) order by id",
                        "select * from mail where $1 < id order by id",
                        "select * from mail where (created_at, id) > ($1, $2) order by id"))
                .allSatisfy(query -> assertThat(isCursor(query)).as(query).isTrue());
        assertThat(List.of(
                        "select * from mail where sent = false and id > $1 order by id limit $2",
                        "select * from mail where id = $1 limit $2",
                        "select * from mail where user_id > $1 order by id limit $2",
                        "select * from mail where id < $1 order by id limit $2"))
                .allSatisfy(query -> assertThat(isCursor(query)).as(query).isFalse());
    }

    private static boolean isCursor(String query) {
        return PollStatement.of(query, 1, 1, 1).isCursor(List.of("id", "created_at"), Optional.of("sent"));
    }

    @Test
    void tables_of_statements() {
        assertThat(List.of(
                        "select * from mail limit 1",
                        "SELECT * FROM ONLY \"public\".\"Mail\" limit 1",
                        "with x as (select id from app.mail order by id) delete from mail",
                        "select * from a join mail on true order by 1"))
                .allSatisfy(query -> assertThat(PollStatement.of(query, 1, 1, 1).polls("mail"))
                        .as(query)
                        .isTrue());
        assertThat(List.of(
                        "select * from mail_log limit 1",
                        "select * from mail.log limit 1",
                        "select mail from post limit 1",
                        "delete from mail order by id"))
                .allSatisfy(query -> assertThat(PollStatement.of(query, 1, 1, 1).polls("mail"))
                        .as(query)
                        .isFalse());
    }
}
