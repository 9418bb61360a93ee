package dev.caravan.adopt.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ProxiedConnections;
import dev.caravan.base.message.StoredContent;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.apache.camel.support.service.ServiceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that cannot become messages are dead letters, which a person retries or discards. */
class IntakeRejectedIT {
    private static final Actor ANNA = new Actor("anna", Optional.of("test"));

    private IntakeFixture shop;
    private IntakeConsumer holder;

    @BeforeEach
    void start() throws Exception {
        shop = new IntakeFixture();
        holder = shop.holder("one");
    }

    @AfterEach
    void close() {
        shop.close();
    }

    private void insert(String topic, String data) throws SQLException {
        shop.source("insert into shop (msg_key, topic, data) values ('k', " + topic + ", '" + data + "')");
    }

    private List<String> dead() throws SQLException {
        return shop.outboxTexts(
                "select subscription || ' ' || aggregate_type || '/' || aggregate_id || ' ' || type || ' '"
                        + " || attempts || ' ' || error_text from outbox_dead_letter order by id");
    }

    private DeadLetter letter() throws SQLException {
        long id = Long.parseLong(
                shop.outboxTexts("select id::text from outbox_dead_letter").get(0));
        return new DeadLetters(shop.outbox).find("intake:shop", id).orElseThrow();
    }

    private void retry() throws SQLException {
        int retried = new DeadLetters(shop.outbox).retry(Selection.only(letter().summary()), ANNA);
        assertThat(retried).isEqualTo(1);
    }

    /** The second round finds what a person has retried since the first. */
    private void rounds() throws SQLException {
        shop.source("insert into shop (msg_key, topic, data) values ('next', 'next', '{}')"); // a copy tells of retries
        holder.poll();
        holder.poll();
    }

    private List<String> types() throws SQLException {
        return shop.outboxTexts("select type from outbox where type <> 'next' order by id");
    }

    @Test
    void a_row_that_is_no_message_becomes_a_dead_letter_and_is_marked_like_the_others() throws Exception {
        insert("'a'", "{}");
        insert("null", "{}");
        insert("'c'", "{");
        insert("'d'", "{}");

        holder.poll();

        assertThat(types()).containsExactly("a", "d");
        assertThat(dead())
                .satisfiesExactlyInAnyOrder(
                        text -> assertThat(text)
                                .startsWith("intake:shop intake/2 intake.rejected 1 type (topic) is null"),
                        text -> assertThat(text)
                                .startsWith("intake:shop intake/3 intake.rejected 1 ")
                                .contains("not JSON"));
        assertThat(shop.sourceTexts("select id from shop where state = 0")).isEmpty();
        assertThat(shop.stored("copied")).contains("2");
        assertThat(shop.stored("rejected")).contains("2");
        assertThat(shop.stored("batch")).isEmpty();
    }

    @Test
    void large_rows_are_retried_in_several_rounds_so_that_they_fit_into_memory() throws Exception {
        shop.source("alter table shop alter column data varchar(20000000)");
        shop.source(
                "insert into shop (msg_key, data) select 'k', '\"' || repeat('x', 9000000) || '\"' from system_range(1, 3)");
        holder.poll();
        shop.source("update shop set topic = 'large'");
        while (!dead().isEmpty()) {
            retry();
        }

        List<Integer> retried = new ArrayList<>();
        while (retried.stream().mapToInt(Integer::intValue).sum() < 3) {
            int before = types().size();
            shop.source("insert into shop (msg_key, topic, data) values ('next', 'next', '{}')");
            holder.poll();
            retried.add(types().size() - before);
        }

        assertThat(retried).contains(2, 1).doesNotContain(3);
        assertThat(types()).containsExactly("large", "large", "large");
        assertThat(dead()).isEmpty();
    }

    @Test
    void a_dead_letter_has_an_id_that_no_message_gets() throws Exception {
        insert("null", "{}");
        holder.poll();
        insert("'b'", "{}");
        holder.poll();

        assertThat(shop.outboxTexts("select id::text from outbox where id in (select id from outbox_dead_letter)"))
                .isEmpty();
        assertThat(shop.outboxTexts("select (select id from outbox) > (select id from outbox_dead_letter)"))
                .containsExactly("t");
    }

    @Test
    void a_row_that_postgres_refuses_is_found_and_the_others_of_its_batch_are_copied_in_order() throws Exception {
        shop.outbox("alter table outbox add constraint known_types check (type <> 'bad')");
        shop.rows(5);
        insert("'bad'", "{\"n\":6}");
        shop.source("insert into shop (msg_key, topic, data) values ('k', 'order.created', '{\"n\":7}')");

        holder.poll();

        assertThat(shop.payloads())
                .containsExactly("{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"n\":4}", "{\"n\":5}", "{\"n\":7}");
        assertThat(dead()).singleElement().asString().contains("intake/6").contains("SQLSTATE 23514");
        assertThat(shop.outboxTexts("select payload->>'type' from outbox_dead_letter"))
                .containsExactly("bad");
        assertThat(shop.sourceTexts("select id from shop where state = 0")).isEmpty();

        shop.outbox("alter table outbox drop constraint known_types");
        retry();
        rounds();
        assertThat(shop.payloads()).contains("{\"n\":6}");
        assertThat(dead()).isEmpty();
    }

    @Test
    void a_row_for_which_a_trigger_raises_an_exception_does_not_stop_the_others() throws Exception {
        shop.outbox("create function refuse() returns trigger language plpgsql as"
                + " $$ begin if new.type = 'bad' then raise exception 'no %', new.type; end if; return new; end $$");
        shop.outbox("create trigger refuse before insert on outbox for each row execute function refuse()");
        insert("'a'", "{}");
        insert("'bad'", "{}");
        insert("'c'", "{}");

        holder.poll();

        assertThat(types()).containsExactly("a", "c");
        assertThat(dead()).singleElement().asString().contains("no bad").contains("SQLSTATE P0001");
    }

    @Test
    void a_row_that_was_corrected_in_the_source_becomes_a_message_when_a_person_retries_it() throws Exception {
        insert("null", "{}");
        holder.poll();
        String id = shop.outboxTexts("select message_id::text from outbox_dead_letter")
                .get(0);
        shop.source("update shop set topic = 'corrected' where id = 1");

        retry();
        rounds();

        assertThat(types()).containsExactly("corrected");
        assertThat(shop.outboxTexts("select message_id::text from outbox where type = 'corrected'"))
                .containsExactly(id);
        assertThat(dead()).isEmpty();
        assertThat(shop.outboxTexts("select id::text from outbox_retry")).isEmpty();
        rounds();
        assertThat(types()).hasSize(1);
    }

    @Test
    void a_row_that_is_as_it_was_becomes_a_dead_letter_again() throws Exception {
        insert("null", "{}");
        holder.poll();
        shop.source("update shop set msg_key = 'other' where id = 1");

        retry();
        rounds();

        assertThat(types()).isEmpty();
        assertThat(dead()).singleElement().asString().contains("type (topic) is null");
        assertThat(shop.outboxTexts("select payload->>'aggregateId' from outbox_dead_letter"))
                .containsExactly("other");
        assertThat(shop.outboxTexts("select cardinality(earlier_attempts)::text from outbox_dead_letter"))
                .containsExactly("1");
    }

    @Test
    void a_row_that_a_person_has_edited_is_used_as_it_is_stored() throws Exception {
        insert("null", "{\"n\":1}");
        holder.poll();
        DeadLetter letter = letter();
        String row = letter.content().payload().orElseThrow().replace("\"type\":null", "\"type\":\"edited\"");
        var content = new StoredContent(letter.content().headers(), Optional.of(row), Optional.empty());

        assertThat(new DeadLetters(shop.outbox).retryEdited(letter, content, ANNA))
                .isTrue();
        rounds();

        assertThat(types()).containsExactly("edited");
        assertThat(shop.outboxTexts("select payload::text from outbox where type = 'edited'"))
                .containsExactly("{\"n\":1}");
        assertThat(dead()).isEmpty();
    }

    @Test
    void an_edited_row_whose_key_was_removed_is_used_and_one_that_is_no_message_is_dead_again() throws Exception {
        insert("null", "{}");
        holder.poll();
        var noMessage = new StoredContent(Optional.empty(), Optional.of("[1]"), Optional.empty());
        new DeadLetters(shop.outbox).retryEdited(letter(), noMessage, ANNA);
        rounds();
        assertThat(dead()).singleElement().asString().contains("the stored row is not an object");

        var message = new StoredContent(
                Optional.empty(),
                Optional.of("{\"aggregateType\":\"order\",\"aggregateId\":\"1\",\"type\":\"edited\",\"payload\":[2]}"),
                Optional.empty());
        new DeadLetters(shop.outbox).retryEdited(letter(), message, ANNA);
        rounds();

        assertThat(shop.outboxTexts("select payload::text from outbox where type = 'edited'"))
                .containsExactly("[2]");
        assertThat(dead()).isEmpty();
    }

    @Test
    void a_row_that_is_deleted_in_the_source_is_dead_again_with_this_reason() throws Exception {
        insert("null", "{}");
        holder.poll();
        shop.source("delete from shop");

        retry();
        rounds();

        assertThat(dead()).singleElement().asString().contains("does not exist in the source any more");
    }

    /** The file names another table now, whose key is a number. */
    @Test
    void a_key_that_does_not_fit_the_column_any_more_does_not_keep_other_rows_from_their_retry() throws Exception {
        insert("null", "{}");
        insert("null", "{}");
        holder.poll();
        shop.source("update shop set topic = 'corrected' where id = 2");
        shop.outbox("update outbox_dead_letter set headers = '{\"key\": \"[\\\"a\\\"]\"}' where aggregate_id = '1'");

        retry();
        retry();
        rounds();

        assertThat(types()).containsExactly("corrected");
        assertThat(dead()).singleElement().asString().contains("does not exist in the source any more");
    }

    @Test
    void a_retry_that_the_source_refuses_does_not_stop_copying_and_its_failure_ends_with_it() throws Exception {
        insert("null", "{}");
        holder.poll();
        ServiceHelper.stopService(holder);
        AtomicLong later = new AtomicLong();
        DataSource refusing = new ProxiedConnections(shop.source) {
            @Override
            protected Object on(Call call) throws Exception {
                if (call.isExecution()
                        && call.text().startsWith("select")
                        && call.text().contains("= ?")
                        && !call.text().contains("count(*)")) {
                    throw new SQLException("The statement is refused", "42000");
                }
                return call.proceed();
            }
        };
        holder = shop.holder("two", shop.outbox, refusing, () -> System.nanoTime() + later.get());
        retry();
        rounds();
        assertThat(shop.outboxTexts("select type from outbox")).containsExactly("next");
        assertThat(shop.stored("error").orElse("")).contains("rejected rows could not be retried");

        shop.outbox("delete from outbox_retry");
        later.addAndGet(TimeUnit.MINUTES.toNanos(1));
        holder.poll();
        assertThat(shop.stored("error")).isEmpty();
        assertThat(shop.stored("failing_since")).isEmpty();
    }

    @Test
    void a_row_that_a_person_discards_stays_marked() throws Exception {
        insert("null", "{}");
        holder.poll();

        new Discards(shop.outbox, Duration.ofDays(1))
                .discard(Selection.only(letter().summary()), UUID.randomUUID(), ANNA);
        rounds();

        assertThat(types()).isEmpty();
        assertThat(dead()).isEmpty();
        assertThat(shop.sourceTexts("select id from shop where state = 0")).isEmpty();
    }
}
