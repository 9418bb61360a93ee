package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.Eventually;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.cli.CommandRun;
import dev.caravan.database.schema.Schema;
import dev.caravan.operate.partition.Partitions;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLWarning;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;

/**
 * A role that may create in the schema of the tables gives Caravan an operator or function that matches a statement better than the one of
 * Postgres, and that would run with the rights of the relay.
 */
class HostileTwinsIT {
    private static final Path STATEMENTS = Path.of("src/main/resources/sql");
    private static final Pattern CALL = Pattern.compile("\\b([a-z_0-9]+)\\s?\\(");
    private static final Pattern USED = Pattern.compile(":(?:opno|opfuncid|funcid|aggfnoid|winfnoid)\\s+(\\d+)");
    private static final Pattern COMPARED_ROWS = Pattern.compile(":opnos\\s+\\(o\\s+([\\d\\s]+)\\)");
    /** The SQLSTATE of a function or operator that does not exist: the driver never sends these types. */
    private static final String UNKNOWN_FUNCTION = "42883";

    private static final String MOVED =
            "Moved: its messages have a partition of their own, to be dropped by the next round of pruning.";

    private static final Set<String> NUMBERS = Set.of("bigint", "integer", "double precision", "numeric");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{((?:text )?[a-z_]+)}");
    private static final Map<String, String> ON_OUTBOX = Map.ofEntries(
            Map.entry("schema", "public"),
            Map.entry("table", "outbox"),
            Map.entry("id", "id"),
            Map.entry("shown_id", "id"),
            Map.entry("order", "id"),
            Map.entry("place", "id"),
            Map.entry("latest_place", "id desc"),
            Map.entry("latest_first", "order by id desc"),
            Map.entry("message_id", "message_id"),
            Map.entry("time", "created_at"),
            Map.entry("age", "extract(epoch from clock_timestamp() - created_at)::bigint"),
            Map.entry("pending", "payload is null"),
            Map.entry("sequence", "0"),
            Map.entry("rows", "1"),
            Map.entry("partitioned", "false"),
            Map.entry("of_caravan", "false"));

    /** Parts that other files or classes complete. */
    private static final Set<String> PARTS = Set.of(
            "operate/audit_changed",
            "operate/matching_of_job",
            "operate/matching_dead_letter",
            "operate/matching_waiting",
            "operate/messages_behind",
            "operate/replayed_messages",
            "engine/new_lanes",
            "engine/stored_bytes",
            "engine/check_at_once");

    /** Functions in the statements of the migration library. */
    private static final String[] OF_FLYWAY = {
        "current_schema",
        "current_database",
        "current_user",
        "set_config",
        "current_setting",
        "pg_try_advisory_lock",
        "pg_advisory_unlock",
        "pg_get_userbyid",
        "array_to_string",
        "now"
    };

    /** The names of the twins by oid. */
    private static final Map<String, String> TWINS = new HashMap<>();

    private static TestOutbox outbox;
    private static TestOutbox clean;

    private Connection hostile;
    private Connection peaceful;

    @BeforeAll
    static void installTwins() throws Exception {
        clean = TestOutbox.create();
        outbox = TestOutbox.create();
        try (Connection connection = outbox.unpooled().getConnection()) {
            installTwins(connection);
        }
    }

    @AfterAll
    static void close() throws Exception {
        outbox.close();
        clean.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        peaceful = clean.unpooled().getConnection();
        hostile = outbox.unpooled().getConnection();
        Sql.execute(hostile, "set client_min_messages = log; set debug_pretty_print = off; set debug_print_parse = on");
    }

    @AfterEach
    void disconnect() throws SQLException {
        hostile.close();
        peaceful.close();
    }

    @Test
    void no_statement_finds_an_operator_or_a_function_of_another_role() throws Exception {
        Map<String, Set<String>> found = new TreeMap<>();

        for (var statement : statements().entrySet()) {
            Set<String> inexact = twinsIn(statement.getValue());
            if (!inexact.isEmpty()) {
                found.put(statement.getKey(), inexact);
            }
        }

        assertThat(found)
                .as(
                        "Write exact types, such as :seconds::double precision * interval '1 second', and pg_catalog before polymorphic functions")
                .isEmpty();
    }

    /** The test above can fail. */
    @Test
    void twins_are_found_in_a_statement_whose_types_are_not_exact() throws Exception {
        assertThat(twinsIn("select 7::bigint % 3, 'a'::text = 'b'::varchar, :seconds * interval '1 second'"))
                .anyMatch(twin -> twin.contains("%(bigint,integer)"))
                .anyMatch(twin -> twin.contains("=(text,character varying)"))
                .anyMatch(twin -> twin.contains("*(bigint,interval)"));
    }

    /** Whatever the types of such a call are, a twin can have exactly these. */
    @Test
    void functions_that_take_arguments_of_any_types_are_named_with_their_schema() throws Exception {
        String names = clean.text("select string_agg(distinct proname, '|') from pg_proc"
                + " where pronamespace = 'pg_catalog'::regnamespace and provariadic = '\"any\"'::regtype");
        Pattern unqualified = Pattern.compile("(?<!pg_catalog\\.)\\b(" + names + ")\\s?\\(");
        assertThat("select format('%s', 1)").containsPattern(unqualified);
        try (var files = Files.walk(Path.of("src/main/resources"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".sql"))
                            .filter(file -> unqualified.matcher(code(file)).find()))
                    .isEmpty();
        }
    }

    /** The twins raise an error. */
    @Test
    void a_relay_with_lanes_and_its_housekeeping_run_no_operator_of_another_role(@TempDir Path routes)
            throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      parameters: {lanes: 3}
                      steps:
                        - choice:
                            when:
                              - expression: {simple: {expression: "${header.aggregate-id} == 'k1'"}}
                                steps:
                                  - throwException: {exceptionType: java.io.IOException, message: refused}
                """);
        insert(20);

        try (Relay relay =
                Relay.start(outbox.settingsWithRoutes(routes, Map.of("camel.management.enabled", "false")))) {
            Eventually.eventually(() ->
                    assertThat(number("select count(*) from outbox_retry")).isPositive());
            Eventually.eventually(() -> assertThat(number("select count(*) from outbox_subscription"
                            + " where position operator(pg_catalog.>=) 20::bigint and pg_catalog.isempty(gaps)"))
                    .isEqualTo(3));
        }
        number("select pg_catalog.setval('outbox_id_seq'::regclass, 5000000::bigint)");
        insert(20);
        try (var housekeeping = Connections.of(outbox.settings(Map.of())).housekeepingPool()) {
            assertThat(new Partitions(housekeeping, 1_000, 2, Clock.SYSTEM).makeAhead())
                    .isPositive();
            number("with moved as (update outbox_subscription set position = 5000010::bigint returning position)"
                    + " select count(*) from moved");
            assertThat(new Pruning(housekeeping, 5)
                            .run(Retention.of(Duration.ZERO), partition -> true, name -> {})
                            .pruned())
                    .contains("outbox_from_0");
        }
    }

    @Test
    @Tag("long")
    void commands_run_no_operator_of_another_role(@TempDir Path folder) throws Exception {
        Path config = folder.resolve("test.properties");
        Files.writeString(
                config,
                outbox.connection().entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue())
                        .collect(Collectors.joining("\n")));
        insert(3);
        number("with subscribed as (insert into outbox_subscription (name, position, types)"
                + " values ('commands', 9000000, '{%}') returning name) select pg_catalog.count(name) from subscribed");
        for (String command : List.of(
                "schema apply",
                "status",
                "status --output json",
                "subscriptions pause commands",
                "subscriptions resume commands",
                "subscriptions replay commands --since 1h --dry-run",
                "subscriptions lanes commands 3",
                "dead-letters list",
                "dead-letters list --subscription commands --key order/k1",
                "dead-letters groups",
                "dead-letters discarded",
                "retries list",
                "partitions list",
                "partitions prune --older-than 1d --dry-run",
                "why order/k1",
                "capture list",
                "outboxes list",
                "doctor --table outbox",
                "subscriptions delete commands --yes")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("--config", config.toString()));

            CommandRun run = CommandRun.of(words.toArray(String[]::new));

            assertThat(run.err() + run.out()).as(command).doesNotContain("hostile", "is not unique", "Unknown option");
            assertThat(run.exit()).as(command + run.err()).isLessThan(2);
        }
    }

    /** A round of pruning drops leftover tables, which it recognizes by their comments. Any role may comment on its own tables. */
    @Test
    void a_table_of_another_role_that_looks_left_over_gives_it_no_rights_and_stops_no_pruning() throws Exception {
        try (TestOutbox attacked = TestOutbox.create();
                var housekeeping = Connections.of(attacked.settings(Map.of())).housekeepingPool()) {
            String evil = attacked.role("evil");
            attacked.execute("grant create on schema public to " + evil + "; create table e (who text);"
                    + " grant insert on e to public; create table outbox_from_7 (like outbox);"
                    + " comment on table outbox_from_7 is '" + MOVED + "'");
            var roles = new JdbcTemplate(attacked.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES));
            for (String name : List.of(
                    "outbox_';end if;insert into e values(1);if false then raise'",
                    "outbox_$drop$;insert into e values(2);--")) {
                roles.execute("create table \"" + name + "\" (id bigint); comment on table \"" + name + "\" is '"
                        + MOVED + "'");
            }
            roles.execute("create type public.number as (n bigint);"
                    + " create function public.same(bigint, public.number) returns boolean language plpgsql as"
                    + " 'begin insert into public.e values (current_user); return true; end';"
                    + " create operator public.= (leftarg = bigint, rightarg = public.number, function = public.same);"
                    + " create table outbox_old (id public.number); insert into outbox_old values (row(1));"
                    + " comment on table outbox_old is '" + MOVED + "'; create view used as select * from outbox_old");
            attacked.insert(1);

            new Pruning(housekeeping, 5).run(Retention.of(Duration.ZERO), partition -> true, name -> {});

            assertThat(attacked.number("select count(*) from e")).isZero();
            assertThat(attacked.text("select to_regclass('outbox_old')::text")).isEqualTo("outbox_old");
            assertThat(attacked.text("select to_regclass('outbox_from_7')::text"))
                    .as("what Caravan itself left over")
                    .isNull();
        }
    }

    /** What is created after the look of schema apply. The twins belong to a superuser, whom it trusts. */
    @Test
    void a_migration_finds_no_operator_or_function_of_another_role() throws Exception {
        try (TestOutbox empty = TestOutbox.withoutTables()) {
            try (Connection connection = empty.unpooled().getConnection()) {
                createTwins(connection, Stream.of(Path.of("src/main/resources/db/caravan/V1__outbox.sql")), OF_FLYWAY);
            }
            Schema schema = new Schema(Database.forMigrations(empty.settings(Map.of())));

            assertThat(schema.apply()).isEqualTo(1);
            assertThat(schema.apply()).isZero();

            try (Connection connection = empty.unpooled().getConnection()) {
                Sql.execute(connection, "set search_path = pg_catalog");
                assertThat(Sql.rows(
                                connection,
                                "select pg_describe_object(classid, objid, objsubid) || ' uses ' || pg_describe_object(refclassid, refobjid, 0)"
                                        + " from pg_depend where classid <> 'pg_operator'::regclass"
                                        + " and (refclassid = 'pg_operator'::regclass or refclassid = 'pg_proc'::regclass"
                                        + " and refobjid in (select oid from pg_proc where prosrc ~ 'hostile'))",
                                row -> row.getString(1)))
                        .as("what the migration has created")
                        .isEmpty();
            }
        }
    }

    private static void insert(int messages) throws SQLException {
        number("with written as (insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', 'k' || n::text, 'order.created', '{}' from generate_series(1, " + messages
                + ") as n returning id) select pg_catalog.count(id) from written");
    }

    private static long number(String query) throws SQLException {
        return outbox.number(query);
    }

    /** @param more names of functions that the statements do not have */
    private static void createTwins(Connection connection, Stream<Path> statements, String... more) throws Exception {
        String names = Stream.concat(
                        statements.flatMap(
                                file -> CALL.matcher(code(file)).results().map(call -> call.group(1))),
                        Stream.of(more))
                .distinct()
                .collect(Collectors.joining(","));
        Sql.execute(connection, resource("hostile_twins.sql").replace("NAMES", names));
    }

    private static void installTwins(Connection connection) throws Exception {
        createTwins(connection, Files.walk(STATEMENTS).filter(file -> file.toString()
                .endsWith(".sql")));
        Sql.execute(connection, "set search_path = pg_catalog");
        for (String query : List.of(
                "select oid, oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ 'hostile'",
                "select oid, oid::regoperator::text from pg_operator where oprnamespace = 'public'::regnamespace")) {
            Sql.rows(connection, query, row -> TWINS.put(row.getString(1), row.getString(2)));
        }
        Sql.execute(connection, "set search_path = public");
    }

    private Set<String> twinsIn(String sql) throws SQLException {
        String text = withNumberedParameters(sql);
        List<String> inferred = inferredTypes(text);
        Set<String> found = new TreeSet<>();
        for (String number : List.of("bigint", "integer")) {
            found.addAll(twinsIn(parameterTypes(inferred, number), text));
        }
        return found;
    }

    /** Prepares a statement and returns the twins in its parse tree, which the server sends as a notice. */
    private Set<String> twinsIn(String types, String text) throws SQLException {
        Sql.execute(hostile, "deallocate all");
        Set<String> found = new TreeSet<>();
        try (var statement = hostile.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("prepare tried " + types + " as " + text);
            for (SQLWarning notice = statement.getWarnings(); notice != null; notice = notice.getNextWarning()) {
                if (notice instanceof PSQLWarning parsed
                        && parsed.getServerErrorMessage().getDetail() != null) {
                    used(parsed.getServerErrorMessage().getDetail()).stream()
                            .filter(TWINS::containsKey)
                            .map(TWINS::get)
                            .filter(name -> !name.startsWith("twin_of"))
                            .forEach(found::add);
                }
            }
        } catch (SQLException e) {
            if (types.isEmpty() || !UNKNOWN_FUNCTION.equals(e.getSQLState())) {
                found.add(types + " " + e.getMessage());
            }
        }
        return found;
    }

    private static Set<String> used(String tree) {
        Set<String> oids = new LinkedHashSet<>();
        USED.matcher(tree).results().forEach(use -> oids.add(use.group(1)));
        COMPARED_ROWS
                .matcher(tree)
                .results()
                .forEach(use -> oids.addAll(List.of(use.group(1).trim().split("\\s+"))));
        return oids;
    }

    private List<String> inferredTypes(String text) throws SQLException {
        Sql.execute(peaceful, "deallocate all; prepare tried as " + text);
        return Sql.rows(
                peaceful,
                "select pg_catalog.unnest(parameter_types)::text from pg_prepared_statements"
                        + " where name operator(pg_catalog.=) 'tried'::text",
                row -> row.getString(1));
    }

    /** The types that the driver sends: none for texts, and that of the Java value for numbers. */
    private static String parameterTypes(List<String> inferred, String number) {
        return inferred.isEmpty()
                ? ""
                : inferred.stream()
                        .map(type -> NUMBERS.contains(type) ? number : type.equals("text") ? "unknown" : type)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private static Map<String, String> statements() throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (var files = Files.walk(STATEMENTS)) {
            files.filter(file -> file.toString().endsWith(".sql"))
                    .map(file -> STATEMENTS.relativize(file).toString().replace(".sql", ""))
                    .filter(name -> !PARTS.contains(name))
                    .forEach(name -> all.put(name, onOutbox(completed(name, SqlFile.file(name)))));
        }
        all.remove("adopt/statements"); // on a view of an extension
        return all;
    }

    private static String completed(String name, String sql) {
        String writers = SqlFile.file("engine/writers");
        String page = name.equals("operate/dead_letters_of_group") || name.equals("operate/dead_letters_of_key")
                ? SqlFile.file("operate/dead_letter_page_newest")
                : "";
        return sql.replace("/*writers*/", writers)
                        .replace("/*ended*/", "null")
                        .replace(
                                "/*of the lane*/",
                                "and outbox_lane(aggregate_type, aggregate_id, :lanes::integer) = :lane")
                        .replace("/*up to the barrier*/", "and id <= :to")
                + page;
    }

    /** A statement of the doctor with what it could read from the outbox. */
    private static String onOutbox(String sql) {
        return PLACEHOLDER.matcher(sql).replaceAll(found -> ON_OUTBOX.getOrDefault(found.group(1), "null::text"));
    }

    private static String code(Path file) {
        try {
            return Files.readString(file).replaceAll("--[^\n]*", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces each name and question mark outside of texts and comments by $1, $2 and so on; two question marks are an operator. */
    private static String withNumberedParameters(String named) {
        String sql = NamedParameterUtils.substituteNamedParameters(NamedParameterUtils.parseSqlStatement(named), null);
        StringBuilder numbered = new StringBuilder();
        int parameters = 0;
        boolean inText = false;
        for (String line : sql.replaceAll("/\\*.*?\\*/", "").split("\n")) {
            for (int i = 0; i < line.length(); i++) {
                char c = line.charAt(i);
                if (!inText && line.startsWith("--", i)) {
                    break;
                }
                inText ^= c == '\'';
                boolean isOperator = line.startsWith("??", i) && !inText;
                numbered.append(c == '?' && !inText && !isOperator ? "$" + ++parameters : String.valueOf(c));
                i += isOperator ? 1 : 0;
            }
            numbered.append('\n');
        }
        return numbered.toString();
    }

    private static String resource(String name) throws IOException {
        try (var stream = HostileTwinsIT.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
