package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.console.api.HttpRelay.Answered;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.Schema;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** One relay, and the other outboxes of its database. */
class OutboxesIT {
    private static final String[] OPERATOR = {"Authorization", "Bearer " + HttpRelay.TOKEN};
    private static final String[] READER = {"Authorization", "Bearer " + HttpRelay.READ_TOKEN};
    private static final String HOSTILE = "Two; drop schema x cascade -- %s/..?outbox=$1";

    private static TestOutbox database;
    private static String role;
    private static HttpRelay relay;

    @BeforeAll
    static void start() throws Exception {
        database = TestOutbox.create();
        role = database.roleWithGrants();
        Map<String, String> settings = new HashMap<>(HttpRelay.tokens());
        settings.put("caravan.db.user", role);
        settings.put("caravan.db.password", TestOutbox.PASSWORD_OF_ROLES);
        settings.put("caravan.people.proxies", "127.0.0.1, ::1");
        settings.put(
                "caravan.people.roles", "read: staff; operate@two: support; admin@public: support; admin@two: billing");
        outbox("two");
        grantAll("two");
        inSchema(
                "two",
                "insert into outbox_subscription (name, position, types, gaps) values ('sms', 200, '{%}', '{}')");
        outbox("hidden");
        grantAll("hidden");
        relay = HttpRelay.start(database, settings);
    }

    @BeforeEach
    void twoDeadLettersAndNoAudit() {
        inSchema(
                "two",
                "delete from public.outbox_audit; delete from outbox_audit; delete from outbox_retry; delete from"
                        + " outbox_dead_letter;insert into outbox_dead_letter (subscription, id, message_id,"
                        + " aggregate_type, aggregate_id, type, payload, created_at, attempts, first_failed_at,"
                        + " last_failed_at, error_class, error_text, error_stack) select 'sms', n, gen_random_uuid(),"
                        + " 'order', n::text, 'order.created', '{}', now(), 1, now(), now(), 'E', 'no', '' from"
                        + " generate_series(1, 2) n");
    }

    @AfterAll
    static void stop() throws Exception {
        relay.close();
    }

    /** A schema with the tables of an outbox, of the superuser as those of the relay. */
    private static void outbox(String schema) {
        database.execute(Schema.print(new OutboxSchema(schema)));
    }

    private static void grantAll(String schema) {
        String quoted = new OutboxSchema(schema).quoted();
        database.execute("grant usage on schema " + quoted + " to " + role + "; grant all on all tables in schema "
                + quoted + " to " + role + "; grant all on all sequences in schema " + quoted + " to " + role);
    }

    private static void inSchema(String schema, String sql) {
        database.execute("set search_path = '" + schema + "'; " + sql + "; reset search_path");
    }

    private static String[] person(String groups) {
        return new String[] {"X-Forwarded-User", "anna", "X-Forwarded-Groups", groups};
    }

    private static Answered get(String path) throws Exception {
        return relay.get(path, READER);
    }

    private static String below(String schema) {
        return "/api/outboxes/"
                + URLEncoder.encode(schema, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Test
    void the_outboxes_of_the_database_are_listed() throws Exception {
        eventually(
                () -> assertThat(get("/api/outboxes").text("/items/0/relays/0")).isEqualTo("relay-of-the-test"));
        JsonNode items = get("/api/outboxes").json().get("items");
        JsonNode two = StreamSupport.stream(items.spliterator(), false)
                .filter(row -> row.get("outbox").asText().equals("two"))
                .findFirst()
                .orElseThrow();

        assertThat(items.get(0).get("outbox").asText()).isEqualTo("public");
        assertThat(items.get(0).get("own").asBoolean()).isTrue();
        assertThat(two.get("own").asBoolean()).isFalse();
        assertThat(two.get("state").asText()).isEqualTo("down");
        assertThat(two.get("subscriptions").asInt()).isOne();
        assertThat(two.get("deadLetters").get("atLeast").asInt()).isPositive();
    }

    @Test
    void each_read_shows_the_outbox_that_it_names() throws Exception {
        JsonNode overview = get("/api/outboxes/two/overview").json();

        assertThat(overview.at("/subscriptions/0/subscription").asText()).isEqualTo("sms");
        assertThat(overview.at("/verdict/state").asText()).isEqualTo("down");
        assertThat(get("/api/outboxes/public/overview").text("/subscriptions/0/subscription"))
                .isEqualTo("orders");
        assertThat(get("/api/outboxes/two/dead-letters").json().get("items")).hasSize(2);
        assertThat(get("/api/dead-letters").json().get("items")).isEmpty();
        assertThat(get("/api/outboxes/two/dead-letters?format=jsonl")
                        .response()
                        .body()
                        .lines())
                .hasSize(2);
        assertThat(get("/api/dead-letters?format=jsonl").response().body()).isEmpty();
        for (String path : List.of(
                "subscriptions",
                "subscriptions/sms",
                "blocked-keys",
                "dead-letters/groups",
                "dead-letters/sms/1",
                "dead-letters/discarded",
                "retries",
                "bulk-retries",
                "messages",
                "find?text=order/1",
                "why/order%2F1",
                "relays",
                "partitions",
                "audit",
                "jobs",
                "history",
                "history?minutes=1440")) {
            assertThat(get("/api/outboxes/two/" + path).status()).as(path).isEqualTo(200);
        }
    }

    @Test
    void a_change_is_made_and_recorded_in_the_outbox_that_it_names() throws Exception {
        Answered paused = relay.post("/api/outboxes/two/subscriptions/sms/pause", "{\"by\":\"anna\"}", OPERATOR);
        Answered job = relay.post(
                "/api/outboxes/two/dead-letters/bulk",
                "{\"action\":\"retry\",\"filter\":{\"key\":\"order/2\"}}",
                OPERATOR);

        assertThat(paused.json().at("/subscription/paused").asBoolean()).isTrue();
        job.assertStatus(202);
        eventually(() ->
                assertThat(get("/api/outboxes/two/jobs").text("/items/0/state")).isEqualTo("done"));
        assertThat(database.text("select string_agg(who || ' ' || action, ',' order by id) from two.outbox_audit"))
                .startsWith("anna pause,")
                .contains("retry");
        assertThat(database.number("select count(*) from two.outbox_retry where id = 2"))
                .isOne();
        assertThat(database.number("select count(*) from public.outbox_audit")).isZero();
        assertThat(get("/api/jobs").json().get("items")).isEmpty();
        relay.post("/api/outboxes/two/subscriptions/sms/resume", "{}", OPERATOR);
    }

    @Test
    void roles_of_people_are_the_same_for_each_outbox() throws Exception {
        relay.get("/api/outboxes/two/overview").assertStatus(401);
        relay.get("/api/outboxes").assertStatus(401);
        relay.post("/api/outboxes/two/subscriptions/sms/pause", "{}", READER).assertStatus(403);
        assertThat(database.text("select paused::text from two.outbox_subscription"))
                .isEqualTo("false");
    }

    @Test
    void a_person_has_in_each_outbox_the_role_that_is_named_for_it() throws Exception {
        String[] support = person("support");
        outbox("third");
        grantAll("third");

        assertThat(relay.get("/api/me", support).text("/role")).isEqualTo("admin");
        assertThat(relay.get("/api/me?outbox=two", support).text("/role")).isEqualTo("operate");
        relay.get("/api/me?outbox=third", support).assertStatus(403);
        relay.post("/api/outboxes/two/subscriptions/sms/resume", "{}", support).assertStatus(200);
        Answered admin =
                relay.post("/api/outboxes/two/subscriptions/sms/replay", "{\"all\":true,\"dryRun\":true}", support);
        admin.assertStatus(403);
        assertThat(admin.detail()).startsWith("This operation needs the role admin, and anna has the role operate.");
        relay.post("/api/outboxes/public/subscriptions/orders/resume", "{}", support)
                .assertStatus(200);
        for (String path : List.of("/api/outboxes/third/overview", "/api/outboxes/%74hird/overview")) {
            assertThat(relay.get(path, support).detail())
                    .isEqualTo("anna has no role in this outbox. Nothing was changed.");
        }
        relay.get("/api/outboxes/third/overview", person("support,staff")).assertStatus(200);
    }

    @Test
    void a_person_without_a_role_in_the_outbox_of_the_relay_sees_only_the_others() throws Exception {
        String[] billing = person("billing");

        relay.get("/api/outboxes/two/overview", billing).assertStatus(200);
        for (String path :
                List.of("overview", "outboxes/public/overview", "me", "me?outbox=two", "outboxes", "routes", "jobs")) {
            assertThat(relay.get("/api/" + path, billing).status()).as(path).isEqualTo(403);
        }
        relay.post("/api/subscriptions/orders/pause", "{}", billing).assertStatus(403);
    }

    @Test
    void outboxes_in_which_a_person_has_no_role_are_not_listed() throws Exception {
        eventually(() -> assertThat(names(READER)).contains("public", "two", "hidden"));

        assertThat(names(person("support"))).containsExactly("public", "two");
    }

    private static List<String> names(String... caller) throws Exception {
        return relay.get("/api/outboxes", caller).json().findValuesAsText("outbox");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "three",
                "TWO",
                "two'; drop schema two cascade; --",
                "two\", public",
                "two, public",
                "pg_catalog",
                "$user",
                "%"
            })
    void no_other_name_leads_to_an_outbox(String schema) throws Exception {
        assertThat(get(below(schema) + "/overview").status()).isIn(400, 404);
        assertThat(database.number("select count(*) from two.outbox_subscription"))
                .isOne();
    }

    @Test
    void an_outbox_that_the_role_may_not_read_or_change_is_refused_with_the_grants_that_it_needs() throws Exception {
        outbox("closed");
        inSchema(
                "closed", "insert into outbox_subscription (name, position, types, gaps) values ('a', 0, '{%}', '{}')");
        get("/api/outboxes/closed/overview").assertProblem(403, "grant usage on schema closed to " + role);

        database.execute("grant usage on schema closed to " + role + "; grant select on all tables in schema closed to "
                + role + "; grant select on all sequences in schema closed to " + role);

        get("/api/outboxes/closed/overview").assertStatus(200);
        Answered pause = relay.post("/api/outboxes/closed/subscriptions/a/pause", "{}", OPERATOR);
        pause.assertStatus(503);
        assertThat(pause.detail())
                .contains("grant insert, update on closed.outbox_audit to " + role)
                .doesNotContain("public");
        assertThat(database.text("select paused::text from closed.outbox_subscription"))
                .isEqualTo("false");
    }

    @Test
    void a_hostile_name_is_a_name() throws Exception {
        outbox(HOSTILE);
        grantAll(HOSTILE);
        inSchema(
                HOSTILE,
                "insert into outbox_subscription (name, position, types, gaps) values ('strange', 0, '{%}', '{}')");

        assertThat(get(below(HOSTILE) + "/overview").text("/subscriptions/0/subscription"))
                .isEqualTo("strange");
        relay.post(below(HOSTILE) + "/subscriptions/strange/pause", "{}", OPERATOR)
                .assertStatus(200);
        assertThat(database.number("select count(*) from \"" + HOSTILE + "\".outbox_audit"))
                .isOne();
    }

    @Test
    void a_schema_in_which_somebody_else_may_create_functions_is_not_read() throws Exception {
        outbox("trap");
        grantAll("trap");
        get("/api/outboxes/trap/overview").assertStatus(200);

        database.execute("grant create on schema trap to public");

        get("/api/outboxes/trap/overview").assertStatus(403);
        assertThat(get("/api/outboxes/trap/overview").detail())
                .startsWith("PUBLIC could run its own functions with the rights of " + role);
    }

    /** Statements call the functions of an outbox, and their owner can replace them. */
    @Test
    void an_outbox_whose_functions_belong_to_somebody_else_is_not_read() throws Exception {
        outbox("lent");
        grantAll("lent");
        get("/api/outboxes/lent/overview").assertStatus(200);
        String lender = database.role("lender");
        database.execute("create sequence runs; grant usage on runs to public; grant all on schema lent to " + lender
                + "; alter function lent.outbox_key_hash(text, text) owner to " + lender);
        new JdbcTemplate(database.unpooledAs(lender, TestOutbox.PASSWORD_OF_ROLES))
                .execute(
                        "create or replace function lent.outbox_key_hash(aggregate_type text, aggregate_id text) returns bigint"
                                + " immutable language plpgsql as 'begin perform nextval(''public.runs''); return 1; end'");
        database.execute("revoke all on schema lent from " + lender
                + "; insert into lent.outbox (aggregate_type, aggregate_id, type) values ('order', '1', 'order.created');"
                + " insert into lent.outbox_subscription (name, position, types) values ('sms', 0, '{%}')");

        assertThat(get("/api/outboxes/lent/why/1").detail())
                .startsWith(lender + " could run its own functions with the rights of " + role);

        assertThat(database.text("select is_called from runs")).isEqualTo("f");
    }

    /** Postgres evaluates constant parts of checks and statistics while it plans a read, and the owner of a partition may create some. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "alter table let.outbox_from_0 add check (flat.go(''))",
                "create statistics flat.s on (flat.go('') and id > 0), id from let.outbox_from_0"
            })
    void an_outbox_with_a_partition_of_somebody_else_is_not_read(String code) throws Exception {
        String tenant = database.role("tenant" + code.length());
        outbox("let");
        grantAll("let");
        database.execute("create sequence planned; grant usage on planned to public; create schema flat authorization "
                + tenant + "; grant usage on schema flat to public; grant usage on schema let to " + tenant
                + "; alter table let.outbox_from_0 owner to " + tenant);
        new JdbcTemplate(database.unpooledAs(tenant, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create function flat.go(text) returns boolean immutable language plpgsql as"
                        + " 'begin if current_user = ''" + role
                        + "'' then perform nextval(''public.planned''); end if; return true; end'; " + code);
        try {
            Answered answered = get("/api/outboxes/let/messages/1");

            assertThat(database.text("select is_called from planned")).isEqualTo("f");
            assertThat(answered.detail())
                    .startsWith(tenant + " could run its own functions with the rights of " + role);
        } finally {
            database.execute("drop schema let cascade; drop schema flat cascade; drop sequence planned");
        }
    }

    /** A member of the owner can act as the owner, who is trusted: so do relays that create partitions. */
    @Test
    void an_outbox_with_a_partition_of_a_member_of_its_owner_is_read() throws Exception {
        String owner = database.role("owner");
        String creator = database.role("creator");
        outbox("own");
        grantAll("own");
        database.execute("grant " + owner + " to " + creator + "; grant " + owner + " to " + role
                + "; alter table own.outbox owner to " + owner + "; alter table own.outbox_from_0 owner to " + creator);
        try {
            get("/api/outboxes/own/overview").assertStatus(200);
        } finally {
            database.execute("drop schema own cascade");
        }
    }

    @Test
    void tables_of_another_version_are_not_read() throws Exception {
        outbox("old");
        grantAll("old");
        database.execute("alter table old.outbox_retry drop column entry");

        get("/api/outboxes/old/overview").assertProblem(409, "outbox_retry.entry");
    }

    @Test
    void a_schema_that_is_dropped_while_people_read_is_missing_and_the_others_are_not() throws Exception {
        outbox("gone");
        grantAll("gone");
        get("/api/outboxes/gone/overview").assertStatus(200);

        database.execute("drop schema gone cascade");

        get("/api/outboxes/gone/overview").assertStatus(404);
        get("/api/outboxes/two/overview").assertStatus(200);
        outbox("gone");
        get("/api/outboxes/gone/overview").assertStatus(403); // another schema, without grants
    }

    /** Their connections are used alternately; none of them may ever use the other outbox. */
    @Test
    void the_relay_delivers_its_own_outbox_while_people_read_another_one() throws Exception {
        long before = database.number("select coalesce(max(id), 0) from public.outbox");
        AtomicBoolean looking = new AtomicBoolean(true);
        List<CompletableFuture<Integer>> people = IntStream.range(0, 4)
                .mapToObj(person -> CompletableFuture.supplyAsync(() -> looks(person, looking)))
                .toList();

        for (int i = 0; i < 50; i++) {
            database.insert("k" + i % 3);
        }
        inSchema(
                "two",
                "insert into outbox (aggregate_type, aggregate_id, type) values ('order', '1', 'order.created')");
        eventually(() -> assertThat(database.passed("orders", before + 50)).isTrue());
        looking.set(false);

        for (CompletableFuture<Integer> person : people) {
            assertThat(person.join()).isPositive();
        }
        assertThat(database.number("select count(*) from two.outbox_subscription where name = 'orders'"))
                .isZero();
        assertThat(database.number("select position from two.outbox_subscription"))
                .isEqualTo(200);
    }

    private static int looks(int person, AtomicBoolean looking) {
        int looks = 0;
        try {
            do {
                boolean other = (person + looks++) % 2 == 0;
                JsonNode seen = relay.sendOnce(
                                relay.request((other ? "/api/outboxes/two" : "/api") + "/overview", OPERATOR)
                                        .GET())
                        .json();
                if (!seen.path("status").asText().equals("429")) {
                    assertThat(seen.at("/subscriptions/0/subscription").asText())
                            .isEqualTo(other ? "sms" : "orders");
                    assertThat(seen.get("subscriptions")).hasSize(1);
                }
            } while (looking.get());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return looks;
    }

    @Tag("long")
    @Test
    void without_the_database_the_last_sample_is_shown() throws Exception {
        eventually(() ->
                assertThat(get("/api/outboxes").response().body()).contains("\"two\"")); // it has been listed before
        database.refuseConnections();
        try {
            Answered overview = get("/api/outboxes/two/overview");

            overview.assertStatus(200);
            assertThat(overview.text("/verdict/state")).isEqualTo("down");
            assertThat(overview.json().get("databaseUnavailableSince").isNull()).isFalse();
            assertThat(overview.text("/subscriptions/0/subscription")).isEqualTo("sms");
            relay.post("/api/outboxes/two/subscriptions/sms/pause", "{}", OPERATOR)
                    .assertStatus(503);
        } finally {
            database.acceptConnections();
        }
        eventually(() -> assertThat(get("/api/outboxes/two/retries").status()).isEqualTo(200));
    }

    @Test
    void what_belongs_to_the_relay_is_not_below_an_outbox() throws Exception {
        for (String path : List.of("me", "outboxes", "openapi.json", "routes")) {
            assertThat(get("/api/outboxes/two/" + path).status()).as(path).isEqualTo(404);
        }
    }
}
