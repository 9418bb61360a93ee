package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.routes.check.ConnectionLimits;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Problems in routes, settings and the database that are found before a relay starts. */
class CheckCommandIT extends CheckedRoutes {
    @Test
    void a_file_that_is_no_route_is_a_hint_and_does_not_keep_a_relay_from_starting() throws Exception {
        for (String name :
                List.of("relay0.log", "LIESMICH", "#good.camel.yaml#", "good.camel.yaml.bak", "orders.yml")) {
            Files.writeString(routes.resolve(name), "\0 { no: yaml");
        }
        String config = CommandRun.config(folder, TestOutbox.create());

        CommandRun check = CommandRun.of("check", "--config", config);
        CommandRun run = CommandRun.of("run", "--config", config);

        check.assertDone(
                "hint     routes        relay0.log: is not a route file (*.camel.yaml,",
                "hint     routes        orders.yml: is not loaded, because route files end in .camel.yaml",
                "No problems found. 5 hints.");
        assertThat(run.err()).isEmpty();
        run.assertDone();
    }

    @Test
    void nothing_is_reported_when_nothing_is_wrong() throws Exception {
        assertThat(check(TestOutbox.create())
                        .assertDone("No problems found.", "good.camel.yaml: 1 route")
                        .out())
                .doesNotContain("PROBLEM");
    }

    @Test
    void the_active_error_handling_is_named() throws Exception {
        TestOutbox database = TestOutbox.create();
        assertThat(check(database).out())
                .contains("error-handling.camel.yaml: 0 routes, built in", "dead-letter.camel.yaml: 1 route, built in");

        Files.writeString(routes.resolve("error-handling.camel.yaml"), "- routeConfiguration: {onException: []}");
        route("alerts", "direct:dead-letter", "log:alerts");

        assertThat(check(database)
                        .assertDone("error-handling.camel.yaml: 0 routes, replaces the built-in file of this name")
                        .out())
                .doesNotContain("dead-letter.camel.yaml");
    }

    @Test
    void known_answers_that_cannot_be_read_are_problems() throws Exception {
        TestOutbox database = TestOutbox.create();
        assertThat(check(database, "caravan.answers.busy = destination 4xx try later")
                        .out())
                .contains("No problems found.");

        assertThat(check(database, "caravan.answers.busy = later 400 x").out())
                .contains("caravan.answers.busy must be poison, destination or message");
        assertThat(check(database, "caravan.answers.busy = poison 400 (").out())
                .contains("caravan.answers.busy is not a regular expression");
        assertThat(check(database, "caravan.answers.busy = message 2xx").out())
                .contains("caravan.answers.busy needs a regular expression that is found in failures only");
        assertThat(check(database, "caravan.answers.busy = message 200 failed").out())
                .contains("No problems found.");

        Files.writeString(routes.resolve("gateway.properties"), "caravan.answers.busy = later 400 x\n");
        assertThat(check(database).out()).contains("caravan.answers.busy must be poison, destination or message");
    }

    @Test
    void a_route_with_another_number_of_lanes_than_the_database_is_a_problem() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox_subscription (name, lane, lanes, position) values"
                + " ('four', 0, 4, 0), ('four', 1, 4, 0), ('four', 2, 4, 0), ('four', 3, 4, 0), ('one', 0, 1, 0)");
        route("good", "outbox:one", "log:b");
        route("other", "outbox:four?lanes=2", "log:b");

        check(database)
                .assertEnded(
                        1,
                        "four: has 4 lanes in the database, but 2 in its route",
                        "./caravan subscriptions lanes four 2",
                        "1 problem found.");
    }

    @Test
    void fewer_permitted_connections_than_a_relay_opens_are_a_problem() throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            route("many", "outbox:many?lanes=10", "log:many");
            assertThat(check(database).out()).contains("No problems found.");
            database.execute(
                    "do $$ begin execute format('alter database %I connection limit 25', current_database()); end $$");

            check(database)
                    .assertEnded(
                            1,
                            "A relay opens up to 32 connections, but Postgres permits 25",
                            "Raise the connection limit of the database");
            assertThat(ConnectionLimits.problem(database.pool(), 1, true))
                    .hasValueSatisfying(found -> assertThat(found.toString()).contains("opens up to 34 connections"));
        }
    }

    @Test
    void a_step_that_ends_a_route_before_the_delivery_is_a_problem_also_in_another_file() throws Exception {
        route("copied", "outbox:copied", "direct:z-tap");
        route("allowed", "outbox:allowed?earlyAcknowledge=true", "direct:z-tap");
        route("z-tap", "direct:z-tap", "seda:copies?size=5");

        check(TestOutbox.create())
                .assertEnded(
                        2,
                        "route copied: step",
                        "(to[seda:copies]) of z-tap puts the message into a queue in memory",
                        "1 problem found.");
    }

    @Test
    void a_function_that_nothing_computes_is_a_problem_at_its_step() throws Exception {
        route("literal", "outbox:literal", "direct:z-literal");
        route("z-literal", "direct:z-literal", "kafka:orders?key=${header.aggregate-id}");
        route("unknown", "outbox:unknown", "mock:a-${header.id}?retainLast=1");

        check(TestOutbox.create())
                .assertEnded(
                        2,
                        "z-literal.camel.yaml:6: route literal: step to has ${…} in the option key of kafka:",
                        "unknown.camel.yaml:6: route unknown: step to has ${…} in its address, which most components");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "insert into nowhere (id) values (:#id) | relation 'nowhere' does not exist. Create the table",
                "insert into orders (id, data) values (:#${header.aggregate-id}, cast(:#${body} as jsonb)) on conflict do nothing | ",
                "insert into elsewhere (id) values (:#id)?dataSource=#bean:warehouse | ",
            })
    void a_statement_that_the_database_refuses_is_a_problem(String statement, String refusal) throws Exception {
        assertRefused(statement, refusal);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource(
            delimiter = '|',
            value = {
                "insert into orders (id, status) values (:#id, 1) | column 'status' of relation 'orders' does not exist. Create the column",
                "insert into orders id values (:#id) | syntax error at or near 'id'. Correct the statement",
                "delete from nowhere where id in (:#in:ids) | ",
            })
    void a_refused_statement_is_explained(String statement, String refusal) throws Exception {
        assertRefused(statement, refusal);
    }

    /** @param refusal null if the database accepts the statement, or is not asked */
    private void assertRefused(String statement, String refusal) throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("create table orders (id text, data jsonb)");
        Files.writeString(routes.resolve("sql.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - to:
                            uri: "sql:%s"
                """.formatted(statement));

        CommandRun run = check(
                database,
                statement.contains("warehouse")
                        ? new String[] {"camel.beans.warehouse=#class:org.postgresql.ds.PGSimpleDataSource"}
                        : new String[0]);

        if (refusal == null) {
            assertThat(run.out()).as(run.err()).contains("No problems found.");
        } else {
            run.assertEnded(
                    1,
                    "sql.camel.yaml:6: route orders: the database refuses the statement: ERROR: "
                            + refusal.replace("'", "\""),
                    "1 problem found.");
        }
    }

    @Test
    @Tag("long")
    void a_statement_may_use_a_table_outside_of_the_schema_of_the_outbox() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create schema apart; create table orders (id text)");
        String config = CommandRun.config(folder, database, "caravan.schema=apart");
        route("orders", "outbox:orders", "sql:insert into orders (id) values (:#id)");

        CommandRun.of("schema", "apply", "--config", config).assertDone();
        assertThat(check(database, "caravan.schema=apart").out()).contains("No problems found.");
    }

    @Test
    @Tag("long")
    void tracing_that_cannot_be_set_up_is_a_problem_when_it_is_on() throws Exception {
        check(TestOutbox.create(), "caravan.tracing=true", "otel.traces.sampler=sometimes")
                .assertEnded(
                        2,
                        "caravan.tracing is true, but OpenTelemetry cannot be set up",
                        "sometimes",
                        "1 problem found.");
        assertThat(check(TestOutbox.create(), "caravan.tracing=true", "otel.exporter.otlp.protocol=grpc")
                        .out())
                .contains("otel.exporter.otlp.protocol must be http/protobuf");
        check(TestOutbox.create(), "otel.traces.sampler=sometimes").assertDone();
    }

    @Test
    void problems_of_all_areas_are_reported_at_once() throws Exception {
        route("unknown-option", "direct:a", "log:b?shwBody=true");
        route("unknown-component", "direct:b", "nowhere:b");
        Files.writeString(routes.resolve("broken.camel.yaml"), "- route:\n    id: x\n   from: y\n");
        Files.writeString(routes.resolve("no-such-step.camel.yaml"), """
                - route:
                    id: no-such-step
                    from:
                      uri: direct:no-such-step
                      steps:
                        - tooo:
                            uri: log:a
                """);
        Files.writeString(routes.resolve("expression.camel.yaml"), """
                - route:
                    id: expression
                    from:
                      uri: direct:expression
                      steps:
                        - choice:
                            when:
                              - expression:
                                  simple:
                                    expression: ${header.type == 'a'
                                steps:
                                  - to:
                                      uri: log:in-when?levl=WARN
                """);

        CommandRun run = check(
                TestOutbox.withoutTables(),
                "caravan.partition.sise=5",
                "caravan.partition.size=5",
                "caravan.schema.auto=yes");

        run.assertWrongUse();
        assertThat(run.out().lines().filter(line -> line.startsWith("PROBLEM")))
                .anyMatch(line -> line.contains("caravan.partition.sise") && line.contains("caravan.partition.size?"))
                .anyMatch(line ->
                        line.contains("caravan.partition.size must be a number between 1000 and 1000000000000, got 5"))
                .anyMatch(line -> line.contains("caravan.schema.auto must be true or false"))
                .anyMatch(line -> line.contains("unknown-option.camel.yaml") && line.contains("shwBody"))
                .anyMatch(line -> line.contains("unknown-component.camel.yaml") && line.contains("nowhere"))
                .anyMatch(line -> line.contains("broken.camel.yaml"))
                .anyMatch(line -> line.contains("no-such-step.camel.yaml") && line.contains("tooo"))
                .anyMatch(line -> line.contains("expression.camel.yaml") && line.contains("invalid expression"))
                .anyMatch(line -> line.contains("expression.camel.yaml") && line.contains("levl"))
                .anyMatch(line -> line.contains("Tables outbox, outbox_audit, "))
                .hasSize(10);
        assertThat(run.out()).contains("good.camel.yaml: 1 route", "10 problems found.");
    }

    @Test
    void a_wrong_component_setting_is_reported_and_the_routes_are_still_checked() throws Exception {
        check(TestOutbox.create(), "camel.component.log.sourceLocationLogerName=true")
                .assertEnded(2, "sourceLocationLogerName", "good.camel.yaml: 1 route", "1 problem found.");
    }

    @Test
    void settings_of_a_component_that_is_not_added_make_no_other_route_wrong() throws Exception {
        route("events", "direct:events", "cloud-event:structured");

        check(
                        TestOutbox.create(),
                        "camel.component.cloud-event.source=https://shop.example",
                        "camel.component.amqp.connectionFactory=#bean:amqpConnections",
                        "camel.component.amqp.acceptMessagesWhileStopping=true",
                        "camel.beans.amqpConnections=#class:org.example.Connections",
                        "camel.beans.amqpConnections.size=10")
                .assertEnded(
                        2,
                        "camel.component.amqp: the component is not found: it needs camel-amqp: ./caravan component add amqp",
                        "camel.beans.amqpConnections: the class org.example.Connections is not found. Add the component",
                        "2 problems found.");
    }

    @Test
    void two_routes_with_one_id_are_reported() throws Exception {
        Files.copy(routes.resolve("good.camel.yaml"), routes.resolve("good-again.camel.yaml"));

        assertThat(check(TestOutbox.create()).out()).contains("same id as a route in good-again.camel.yaml");
    }

    @Test
    @Tag("long")
    void two_steps_with_one_id_are_reported() throws Exception {
        for (String name : new String[] {"one", "two"}) {
            Files.writeString(routes.resolve(name + ".camel.yaml"), """
                    - route:
                        id: %1$s
                        from:
                          uri: outbox:%1$s
                          steps:
                            - to:
                                id: to-log
                                uri: log:messages
                    """.formatted(name));
        }

        assertThat(check(TestOutbox.create()).out())
                .contains("route two: has a step with the id to-log, and so has another route");
    }

    @Test
    void destinations_that_routes_use_are_reported_when_they_do_not_answer() throws Exception {
        route("texts", "direct:texts", "{{texts.url}}");
        route("mails", "direct:mails", "{{mails.url}}");
        route("others", "direct:others", "{{others.scheme}}:localhost:1");
        route("orders", "direct:orders", "email:customer?from=a@b.example&to=c@d.example&subject=a&text=b");
        try (ServerSocket gateway = new ServerSocket(0)) {
            check(
                            TestOutbox.create(),
                            "texts.url=http://localhost:" + gateway.getLocalPort() + "/x",
                            "mails.url=smtp://localhost:1",
                            "others.scheme=smtp",
                            "camel.component.email.server=smtp://localhost:2",
                            "camel.component.sms.url=http://localhost:3",
                            "unused.url=smtp://localhost:1")
                    .assertEnded(
                            1,
                            "texts.url: localhost:" + gateway.getLocalPort() + " accepts connections",
                            "mails.url: could not reach localhost:1",
                            "Start it, or correct mails.url",
                            "camel.component.email.server: could not reach localhost:2",
                            "2 problems found.");
        }
    }

    @Test
    void a_route_with_transactions_of_kafka_is_a_problem() throws Exception {
        route("records", "outbox:records", "kafka:orders?transacted=true&brokers=localhost:1");

        check(TestOutbox.create())
                .assertEnded(
                        2,
                        "records.camel.yaml:6: ",
                        "transacted and transactionalId are not for messages of an outbox");
    }

    /** What is wrong with it may be in a secret part. */
    @Test
    void an_address_that_is_not_valid_is_not_shown() throws Exception {
        route("chat", "direct:chat", "{{chat.url}}");
        route("mails", "direct:mails", "{{mails.url}}");

        assertThat(check(
                                TestOutbox.create(),
                                "chat.url=https://hooks.slack.com/services/T0/B0/LeakedPath99AAbb{",
                                "mails.url=smtp://u:leakedword@local host:25")
                        .out())
                .contains("chat.url: the address in this setting is not valid")
                .contains("mails.url: the address in this setting is not valid")
                .doesNotContainIgnoringCase("leaked");
    }

    /** Kafka's client tries for seconds. */
    @Test
    @Tag("long")
    void brokers_that_do_not_answer_are_a_problem() throws Exception {
        route("records", "direct:records", "kafka:orders");

        check(TestOutbox.create(), "camel.component.kafka.brokers=localhost:1")
                .assertEnded(1, "kafka: could not reach localhost:1", "KAFKA_BROKERS", "1 problem found.");
    }

    @Test
    @Tag("long")
    void a_webhook_to_a_host_with_a_private_address_is_refused_before_a_message_comes() throws Exception {
        InetAddress machine = InetAddress.getLocalHost();
        assumeThat(machine.isLoopbackAddress() || machine.isSiteLocalAddress()).isTrue();
        String webhook = "standard-webhook:shop?secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url=http://";
        route("own", "direct:own", webhook + machine.getHostName() + "/hooks");
        route("literal", "direct:literal", webhook + "127.0.0.1/hooks");
        String host = machine.getHostName() + " has no public address";

        CommandRun literal = check(TestOutbox.create());
        Files.delete(routes.resolve("literal.camel.yaml"));
        CommandRun named = check(TestOutbox.create());

        assertThat(literal.out()).contains("127.0.0.1 has no public address", "set allowPrivateAddresses=true");
        assertThat(named.out())
                .contains("PROBLEM  destinations  standard-webhook:shop: " + host)
                .contains("1 problem found.");
    }

    @Test
    void settings_beside_the_routes_count_and_those_of_the_relay_are_refused_there() throws Exception {
        route("texts", "direct:texts", "log:{{texts.name}}?level={{texts.level}}");
        Files.writeString(routes.resolve("texts.properties"), "texts.name = a\ntexts.level = WARN\n");

        check(TestOutbox.create()).assertDone();

        Files.writeString(routes.resolve("more.properties"), "texts.name = b\ncaravan.retention = 1d\n");
        for (String command : new String[] {"check", "run"}) {
            CommandRun.of(command, "--config", CommandRun.config(folder, TestOutbox.create()))
                    .assertWrongUse(
                            "texts.name has different values in more.properties and in texts.properties",
                            "caravan.retention in more.properties is a setting of the relay");
        }
    }

    @Test
    void files_in_subfolders_are_not_routes() throws Exception {
        Path below = Files.createDirectory(routes.resolve("..2026_data"));
        Files.copy(routes.resolve("good.camel.yaml"), below.resolve("good.camel.yaml"));

        check(TestOutbox.create()).assertDone();
    }

    @Test
    void endpoints_that_need_the_data_source_are_accepted() throws Exception {
        route("from-sql", "sql:select 1", "sql:update bookings set seen = true");

        CommandRun run = CommandRun.of("run", "--config", CommandRun.config(folder, TestOutbox.create()));

        assertThat(run.err()).isEmpty();
        run.assertDone();
    }

    @Test
    @Tag("long")
    void a_second_data_source_leaves_that_of_the_outbox_to_the_routes_that_name_none() throws Exception {
        route("here", "outbox:here", "sql:select 1");
        route("there", "outbox:there", "sql:select 2?dataSource=#bean:warehouse");
        String config = CommandRun.config(
                folder,
                TestOutbox.create(),
                "caravan.routes=" + routes,
                "camel.beans.warehouse=#class:org.postgresql.ds.PGSimpleDataSource");

        assertThat(CommandRun.of("check", "--config", config).out()).contains("No problems found.");
        CommandRun tried =
                CommandRun.of("try", routes.resolve("here.camel.yaml").toString(), "--type", "a", "--config", config);
        assertThat(tried.exit()).as(tried.out() + tried.err()).isZero();
    }

    @Test
    void values_as_camel_takes_them_are_accepted() throws Exception {
        route(
                "good",
                "outbox:good?saveInterval=PT1S&maxAge=7d&backoff=1m30s&order=KEY&batchMaxWait=1s",
                "log:b?showBody=TRUE&level=warn");

        CommandRun check = check(
                TestOutbox.create(),
                "camel.component.outbox.lease-duration=10s",
                "camel.component.outbox.leaseDuration=1s",
                "camel.main.jmx-enabled=false",
                "camel.component.kafka.additionalProperties[a]=b",
                "camel.component.kafka.saslJaasConfig=",
                "camel.management.port=");

        assertThat(check.out()).doesNotContain("PROBLEM");
        check.assertDone();
    }

    @Test
    void json_holds_every_finding() throws Exception {
        CommandRun run = CommandRun.of(
                "check", "--output", "json", "--config", CommandRun.config(folder, TestOutbox.withoutTables()));

        var json = run.json();
        assertThat(json.get("ok").asBoolean()).isFalse();
        assertThat(json.get("findings"))
                .anySatisfy(
                        finding -> assertThat(finding.get("text").asText()).contains("Tables outbox, outbox_audit, "));
        assertThat(json.get("findings"))
                .anySatisfy(finding -> assertThat(finding.get("ok").asBoolean()).isTrue());
    }
}
