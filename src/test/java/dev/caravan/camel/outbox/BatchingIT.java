package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.apache.camel.builder.Builder.constant;
import static org.apache.camel.builder.Builder.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Processor;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.model.RouteDefinition;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches on a real database, with the error handling that is shipped. */
class BatchingIT {
    private static final String BATCHES = "orders?batching=true&backoff=1ms&maxBackoff=1ms&concurrency=2";

    /** The ids of each exchange that was sent, whether it failed or not. */
    private final List<List<Long>> sent = new CopyOnWriteArrayList<>();

    private final List<Long> arrived = new CopyOnWriteArrayList<>();
    private final Set<Long> poison = ConcurrentHashMap.newKeySet();
    private final Set<Long> failing = ConcurrentHashMap.newKeySet();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @Test
    void messages_that_wait_arrive_as_a_list_in_order_with_their_own_headers() throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                + " select 'order', 'k' || n % 3, 'order.created', jsonb_build_object('tenant', 't' || n),"
                + " jsonb_build_object('n', n) from generate_series(1, 10) n");
        List<List<Object>> seen = new CopyOnWriteArrayList<>();
        start(exchange -> {
            for (Message message : MessageBatch.of(exchange)) {
                seen.add(List.of(
                        message.getHeader(OutboxConstants.POSITION),
                        message.getHeader(KafkaConstants.KEY),
                        message.getHeader("tenant"),
                        message.getBody()));
            }
        });

        outbox.awaitPassed("orders", 10);
        assertThat(seen).hasSize(10).element(6).isEqualTo(List.of(7L, "k1", "t7", "{\"n\": 7}"));
        assertThat(seen).extracting(one -> one.get(0)).isSorted();
    }

    @Test
    void a_poison_message_among_a_thousand_is_found_alone_and_the_others_arrive() throws Exception {
        poison.add(700L);
        outbox.insertMany(1_000, 50);
        start(BATCHES + "&batchMaxMessages=1000", this::deliver);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(700L));
        outbox.awaitPassed("orders", 1_000);
        assertThat(new HashSet<>(arrived)).hasSize(999);
        assertThat(sent.stream().filter(ids -> ids.contains(700L)).count())
                .as("the whole batch, and each half with it")
                .isBetween(10L, 11L);
        assertThat(sent.size())
                .as("two for each halving, and some for keys that waited")
                .isLessThan(40);
        assertThat(sent).contains(List.of(700L));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void a_failing_message_waits_with_the_later_ones_of_its_key_and_no_other() throws Exception {
        failing.add(7L);
        outbox.insertMany(40, 4);
        start("orders?batching=true&backoff=1d", this::deliver);

        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(9));
        assertThat(outbox.waiting("orders").get(0)).isEqualTo(new TestOutbox.Waiting(7, false, 1));
        assertThat(outbox.waiting("orders")).extracting(TestOutbox.Waiting::id).allMatch(id -> id % 4 == 3 && id >= 7);
        eventually(() -> assertThat(new HashSet<>(arrived)).hasSize(31));
    }

    @Test
    void a_message_that_is_too_large_is_dead_and_the_others_of_its_batch_are_sent() throws Exception {
        outbox.insertMany(20, 4);
        long large = outbox.insert("a", "order.created", "{\"text\": \"" + "x".repeat(5_000) + "\"}");
        outbox.insertMany(20, 4);
        start("orders?batching=true&maxMessageBytes=4000", this::deliver);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(large));
        eventually(() -> assertThat(arrived).hasSize(40).doesNotHaveDuplicates().doesNotContain(large));
    }

    @Test
    void an_unavailable_destination_counts_as_an_attempt_of_no_message() throws Exception {
        AtomicInteger refusals = new AtomicInteger(1);
        outbox.insertMany(100, 10);
        start(exchange -> {
            if (refusals.getAndDecrement() > 0) {
                throw new ConnectException("Connection refused");
            }
            deliver(exchange);
        });

        outbox.awaitPassed("orders", 100);
        assertThat(arrived).doesNotHaveDuplicates().hasSize(100);
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void messages_that_the_route_marks_fail_alone_and_the_others_are_not_sent_again() throws Exception {
        outbox.insertMany(30, 30);
        start("orders?batching=true&backoff=1d", exchange -> {
            MessageBatch batch = MessageBatch.of(exchange);
            sent.add(ids(batch));
            for (Message message : batch) {
                switch (message.getHeader(OutboxConstants.POSITION, Long.class).intValue()) {
                    case 5 -> batch.failed(message, "version conflict");
                    case 9 -> batch.dead(message, "mapper_parsing_exception");
                    default -> arrived.add(message.getHeader(OutboxConstants.POSITION, Long.class));
                }
            }
        });

        outbox.awaitPassed("orders", 30);
        assertThat(arrived).hasSize(28).doesNotHaveDuplicates();
        assertThat(outbox.waiting("orders")).containsExactly(new TestOutbox.Waiting(5, false, 1));
        assertThat(outbox.text("select error_text from outbox_retry")).isEqualTo("version conflict");
        assertThat(outbox.dead("orders")).containsExactly(9L);
        assertThat(outbox.text("select error_text from outbox_dead_letter")).isEqualTo("mapper_parsing_exception");
    }

    @Test
    void a_failed_part_of_a_split_fails_its_message_and_the_next_step_gets_the_others() throws Exception {
        poison.add(4L);
        failing.add(6L);
        outbox.insertMany(10, 10);
        startRoute("orders?batching=true&backoff=1d", route -> route.split()
                .body()
                .process(exchange -> {
                    checkOne(exchange.getMessage());
                    exchange.setMessage(exchange.getMessage().copy()); // as marshal does
                    exchange.getMessage().setBody("shaped");
                })
                .end()
                .process(exchange -> {
                    List<?> rest = exchange.getMessage().getBody(List.class);
                    rest.forEach(
                            message -> assertThat(((Message) message).getBody()).isEqualTo("shaped"));
                    sent.add(ids(rest));
                }));

        outbox.awaitPassed("orders", 10);
        assertThat(sent.stream().flatMap(List::stream)).containsExactlyInAnyOrder(1L, 2L, 3L, 5L, 7L, 8L, 9L, 10L);
        assertThat(outbox.waiting("orders")).containsExactly(new TestOutbox.Waiting(6, false, 1));
        assertThat(outbox.dead("orders")).containsExactly(4L);
    }

    @Tag("long")
    @Test
    void a_split_that_stops_at_an_error_delivers_nothing_behind_it_early() throws Exception {
        failing.add(6L);
        outbox.insertMany(10, 10);
        startRoute(
                "orders?batching=true&backoff=1d",
                route -> route.split().body().stopOnException().process(exchange -> {
                    checkOne(exchange.getMessage());
                    arrived.add(exchange.getMessage().getHeader(OutboxConstants.POSITION, Long.class));
                }));

        outbox.awaitPassed("orders", 10);
        assertThat(new HashSet<>(arrived)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 7L, 8L, 9L, 10L);
        assertThat(outbox.waiting("orders")).containsExactly(new TestOutbox.Waiting(6, false, 1));
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "batchMaxMessages=1",
                "window=1&batchMaxWait=1h",
                "batchMaxMessages=10000&window=4&batchMaxWait=1h",
                "batchMaxBytes=1024",
                "order=strict&batchMaxMessages=3",
                "order=none&concurrency=1",
                "lanes=3&batchMaxWait=1ms"
            })
    void odd_limits_deliver_everything_once(String options) throws Exception {
        outbox.insertMany(20, 5);
        start("orders?batching=true&" + options, this::deliver);

        eventually(() -> assertThat(arrived).hasSize(20));
        assertThat(arrived).doesNotHaveDuplicates();
        if (options.contains("strict")) {
            assertThat(arrived).isSorted();
        }
    }

    @Test
    void a_wait_fills_a_batch_with_messages_of_several_transactions() throws Exception {
        start("orders?batching=true&batchMaxMessages=4&batchMaxWait=1h", this::deliver);
        for (int i = 0; i < 8; i++) {
            outbox.insert("k" + i);
        }

        outbox.awaitPassed("orders", 8);
        assertThat(sent).hasSize(2).allMatch(ids -> ids.size() == 4);
    }

    @Tag("long")
    @Test
    void a_message_that_a_part_appends_has_the_same_id_in_every_batch() throws Exception {
        poison.add(5L);
        outbox.insertMany(8, 8);
        startRoute("orders?batching=true&types=order.created", route -> route.split()
                .body()
                .to("outbox:copy?type=copy.created")
                .end()
                .process(exchange -> MessageBatch.of(exchange).forEach(this::checkOne)));

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(5L));
        eventually(() -> assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue());
        assertThat(outbox.number("select count(distinct message_id) from outbox where type = 'copy.created'"))
                .isEqualTo(8);
        assertThat(outbox.number("select count(*) from outbox where type = 'copy.created'"))
                .as("halves were repeated")
                .isGreaterThan(8);
    }

    @Test
    void messages_wait_while_their_route_reads_a_header_of_one_message_from_the_batch() throws Exception {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                + " select 'order', 'k' || n, 'order.created', jsonb_build_object('tenant', 't' || n), '{}'"
                + " from generate_series(1, 5) n");
        startRoute(
                "orders?batching=true&backoff=1d",
                route -> route.filter(header("tenant").isEqualTo("t1")).process(this::deliver));

        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(5).allMatch(each -> each.attempts() == 1));
        assertThat(outbox.text("select min(error_text) from outbox_retry"))
                .isEqualTo(
                        "The exchange has a batch, and the header tenant belongs to one message. Set the header in a step"
                                + " before, or put the step into a split of ${body}, or remove batching");
        assertThat(sent).isEmpty();
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void a_batch_is_not_written_to_a_file_as_its_description(@TempDir Path folder) throws Exception {
        outbox.insertMany(3, 3);
        startRoute("orders?batching=true&backoff=1d", route -> route.to("file:" + folder));

        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(3));
        assertThat(outbox.text("select min(error_text) from outbox_retry")).contains("Set the body to ${body.ndjson}");
        try (var files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void a_route_that_gives_messages_of_a_batch_to_several_threads_is_refused() {
        assertThatThrownBy(() -> startRoute(
                        "orders?batching=true",
                        route -> route.split().body().parallelProcessing().to("log:part")))
                .hasStackTraceContaining("Remove parallelProcessing, or set order to none");
        assertThatThrownBy(() -> start("orders?batching=true&pipelined=true", this::deliver))
                .hasStackTraceContaining("batching and pipelined cannot be combined");
    }

    @Test
    void a_route_that_takes_a_batch_for_one_message_of_which_it_may_have_seen_the_id_is_refused() {
        assertThatThrownBy(() ->
                        startRoute("orders?batching=true&order=none", route -> route.idempotentConsumer(constant("one"))
                                .idempotentRepository("messageIds")
                                .eager(false)
                                .to("log:batch")))
                .hasStackTraceContaining("treats a batch as one message. Put the step into the split");
    }

    @Test
    void each_message_of_a_batch_is_compared_with_the_ids_that_were_delivered() throws Exception {
        outbox.insertMany(8, 8);
        startRoute(BATCHES, route -> route.split()
                .body()
                .idempotentConsumer(header("id"))
                .idempotentRepository("messageIds")
                .eager(false)
                .process(exchange -> arrived.add(exchange.getMessage().getHeader("outbox-id", Long.class)))
                .end()
                .end());

        eventually(() -> assertThat(arrived).hasSize(8).doesNotHaveDuplicates());
        eventually(() -> assertThat(outbox.number("select count(*) from outbox_idempotent"))
                .isEqualTo(8));
    }

    @Tag("long")
    @Test
    void a_message_that_is_sent_again_after_an_earlier_one_of_its_key_is_no_repeat() throws Exception {
        outbox.insertMany(3, 1);
        failing.add(2L);
        startRoute(BATCHES, route -> route.split()
                .body()
                .idempotentConsumer(header("id"))
                .idempotentRepository("messageIds")
                .eager(false)
                .process(exchange -> {
                    long id = exchange.getMessage().getHeader("outbox-id", Long.class);
                    if (failing.remove(id)) {
                        throw new IllegalStateException("told to fail once");
                    }
                    arrived.add(id);
                })
                .end()
                .end());

        eventually(() ->
                assertThat(arrived).as("its last occurrences are in order").containsExactly(1L, 3L, 2L, 3L));
        eventually(() -> assertThat(outbox.number("select count(*) from outbox_idempotent"))
                .isEqualTo(3));
    }

    @Tag("long")
    @Test
    void an_interrupted_part_in_a_copy_acknowledges_nothing() throws Exception {
        outbox.insertMany(3, 3);
        failing.add(2L);
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("direct:parts").split().body().process(exchange -> {
                if (failing.remove(exchange.getMessage().getHeader("outbox-id", Long.class))) {
                    throw new InterruptedException("told to be interrupted");
                }
            });
            routes.from("outbox:" + BATCHES).enrich("direct:parts").process(this::deliver);
        });

        eventually(() -> assertThat(arrived).containsExactlyInAnyOrder(1L, 2L, 3L));
    }

    private void start(Processor destination) throws Exception {
        start(BATCHES, destination);
    }

    private void start(String uri, Processor destination) throws Exception {
        relay = TestRelay.startAsShipped(outbox, uri, destination);
    }

    private void startRoute(String uri, java.util.function.Consumer<RouteDefinition> steps) throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("dataSource", outbox.dataSource());
            steps.accept(routes.from("outbox:" + uri).routeId("tested"));
        });
    }

    /** Accepts all messages of a batch or none. */
    private void deliver(Exchange exchange) {
        List<Long> ids = ids(MessageBatch.of(exchange));
        sent.add(ids);
        MessageBatch.of(exchange).forEach(this::checkOne);
        arrived.addAll(ids);
    }

    private void checkOne(Message message) {
        long id = message.getHeader(OutboxConstants.POSITION, Long.class);
        if (poison.contains(id)) {
            throw new SerializationException("told to be poison");
        }
        if (failing.contains(id)) {
            throw new IllegalStateException("told to fail");
        }
    }

    private static List<Long> ids(List<?> messages) {
        List<Long> ids = new ArrayList<>();
        messages.forEach(message -> ids.add(((Message) message).getHeader(OutboxConstants.POSITION, Long.class)));
        return ids;
    }
}
