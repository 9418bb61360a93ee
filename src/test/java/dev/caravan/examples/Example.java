package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestKafka;
import dev.caravan.TestPostgres;
import dev.caravan.base.settings.Settings;
import dev.caravan.cli.CommandRun;
import dev.caravan.docs.DocsPage;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A folder of {@code examples/}, adopted as its README says: the blocks of a section are run in order, {@code sh} as a person types them
 * and {@code sql} in the database, or in another one of the application. Commands of Caravan run in this process; {@code ./caravan run} starts a relay
 * that ends with this, and
 * {@code java -jar} the application of the folder as the build has packaged it.
 */
final class Example implements AutoCloseable {
    private static final Pattern ENVIRONMENT = Pattern.compile("\\{\\{env:(\\w+)(?::([^}]*))?}}");
    private static final String FOLDER = "my-relay";
    private static final String REPEATED = "-- repeat until it shows no row";
    private static final String INCLUDE = "\\i ";
    /** Doctor ends with 1 if a finding is critical, as in some examples. */
    private static final Set<String> MAY_FAIL = Set.of("doctor");

    private final DocsPage readme;
    private final Path workspace;
    private final Map<String, String> environment = new TreeMap<>();
    private final Map<String, String> given = new TreeMap<>();
    private final Map<String, String> givenToApplication = new TreeMap<>();
    private final Map<String, String> replaced = new TreeMap<>();
    private final List<Relay> relays = new ArrayList<>();
    private final List<Application> applications = new ArrayList<>();
    private final PostgresServer server;
    private final String database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private DataSource ofApplication;
    private Connection session;

    /** @param workspace an empty folder, as the current folder of the person */
    Example(String name, Path workspace) throws Exception {
        this(name, workspace, TestPostgres.server());
    }

    Example(String name, Path workspace, PostgresServer server) throws Exception {
        this(DocsPage.read("examples/" + name + "/README.md"), workspace, server);
    }

    /** A page that is followed in the same way. */
    Example(DocsPage page, Path workspace, PostgresServer server) throws Exception {
        this.readme = page;
        this.workspace = workspace;
        this.server = server;
        database = server.createDatabase();
        pool = server.pool(database);
        jdbc = new JdbcTemplate(pool);
        given("CARAVAN_DB_URL", server.url(database));
        given("CARAVAN_DB_USER", server.user());
        given("CARAVAN_DB_PASSWORD", server.password());
        given("CAMEL_COMPONENT_KAFKA_BROKERS", TestKafka.brokers());
        given("CAMEL_MANAGEMENT_ENABLED", "false");
        shell("cp -r '" + Path.of("").toAbsolutePath() + "'/{routes,examples} .");
    }

    /** An address of a server of this test, instead of what README exports. */
    void given(String variable, String value) {
        given.put(variable, value);
    }

    /** Another database, in which the blocks of SQL are executed. A connection must accept several statements at once. */
    void databaseOfApplication(DataSource source) {
        ofApplication = source;
    }

    /** A variable of the application alone. */
    void givenToApplication(String variable, String value) {
        givenToApplication.put(variable, value);
    }

    /** The address, user and password of the database, as variables of the application. */
    void databaseOfApplication(String url, String user, String password) {
        givenToApplication(url, server.url(database));
        givenToApplication(user, server.user());
        givenToApplication(password, server.password());
    }

    /** Another text in each block, for example a free port. */
    void replace(String text, String by) {
        replaced.put(text, by);
    }

    /** The application that a block has started. */
    Application application() {
        return applications.get(0);
    }

    /** All instances of it. */
    List<Application> applications() {
        return applications;
    }

    /**
     * Starts one more instance of the application.
     *
     * @param jar as the page names it
     * @param variables in place of those of the first one
     */
    Application startApplication(String jar, Map<String, String> variables) throws IOException {
        Map<String, String> all = new TreeMap<>(givenToApplication);
        all.put("CAMEL_COMPONENT_KAFKA_BROKERS", TestKafka.brokers());
        all.putAll(variables);
        Application started =
                Application.start(workspace, Path.of("target", jar).toAbsolutePath(), all);
        applications.add(started);
        return started;
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    /** Everything below a heading, up to the next one of the same level. Returns what the commands of Caravan printed. */
    String follow(String heading) throws Exception {
        StringBuilder printed = new StringBuilder();
        for (DocsPage.Block block : readme.blocksBelow(heading)) {
            switch (block.language()) {
                case "sh" -> {
                    for (String line : replaced(block.content()).split("(?<!\\\\)\\n")) {
                        printed.append(line(line.replace("\\\n", " ")));
                    }
                }
                case "sql" -> psql(block.content());
                case "properties", "yml" -> writeFile(block.content());
                case "go" -> {
                    // what a person changes in the application
                }
                default -> throw new AssertionError("a block of " + readme + " is neither sh, sql nor a file");
            }
        }
        return printed.toString();
    }

    /** Its first line is a comment with its name. */
    private void writeFile(String content) throws IOException {
        Path file = workspace.resolve(content.lines().findFirst().orElseThrow().substring("# ".length()));
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private String replaced(String text) {
        for (Map.Entry<String, String> each : replaced.entrySet()) {
            text = text.replace(each.getKey(), each.getValue());
        }
        return text;
    }

    /** Executes the statements of a file of the example, as the old application does. */
    void execute(Path file) throws Exception {
        execute(Files.readString(file));
    }

    void execute(String sql) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** In one session, as in psql. A block that says so is repeated until it returns no row. */
    private void psql(String block) throws Exception {
        if (session == null) {
            session = (ofApplication == null ? server.dataSource(database) : ofApplication).getConnection();
        }
        StringBuilder script = new StringBuilder();
        for (String line : block.split("\\n")) {
            script.append(
                            line.startsWith(INCLUDE)
                                    ? Files.readString(workspace.resolve(line.substring(INCLUDE.length())))
                                    : line)
                    .append('\n');
        }
        try (var statement = session.createStatement()) {
            eventually(() -> {
                boolean rows = statement.execute(script.toString());
                assertThat(rows
                                && block.startsWith(REPEATED)
                                && statement.getResultSet().next())
                        .as(block)
                        .isFalse();
            });
        }
    }

    /** Ends the first relay as SIGTERM does. */
    void stopRelay() {
        relays.remove(0).close();
    }

    long number(String query) {
        return jdbc.queryForObject(query, Long.class);
    }

    /** Runs one command and returns what it printed. */
    String caravan(String... arguments) throws Exception {
        if (arguments[0].equals("run")) {
            relays.add(Relay.start(settings(Map.of())));
            return "";
        }
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--config", config().toString()));
        CommandRun run = CommandRun.of(environment, all.toArray(String[]::new));
        String printed = run.out() + run.err();
        assertThat(run.exit())
                .as("%s\n%s", String.join(" ", arguments), printed)
                .isLessThanOrEqualTo(MAY_FAIL.contains(arguments[0]) ? 1 : 0);
        return printed;
    }

    /** Starts one more relay with the same settings, as on another machine. */
    Relay relay() {
        return Relay.start(settings(Map.of("camel.component.outbox.relay", "another")));
    }

    private Settings settings(Map<String, String> more) {
        try {
            return Settings.load(config(), more, environment);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String line(String line) throws Exception {
        String command = line.strip();
        if (command.isEmpty() || command.startsWith("#")) {
            return "";
        }
        List<String> words = DocsPage.words(command.replaceFirst(" >>? *\\S+$", ""));
        switch (words.get(0)) {
            case "./caravan" -> {
                String printed =
                        caravan(words.stream().skip(1).map(this::inWorkspace).toArray(String[]::new));
                Matcher into = Pattern.compile(" > *(\\S+)$").matcher(command);
                if (into.find()) {
                    Files.writeString(workspace.resolve(into.group(1)), printed);
                }
                return printed;
            }
            case "export" -> words.stream().skip(1).forEach(this::export);
            case "psql" -> execute(workspace.resolve(words.get(words.size() - 1)));
            case "java" -> startApplication(words.get(words.size() - 1), Map.of());
            default -> {
                return shell(command);
            }
        }
        return "";
    }

    private void export(String variable) {
        String[] parts = variable.split("=", 2);
        environment.put(parts[0], inWorkspace(parts[1]));
    }

    private String inWorkspace(String word) {
        return word.startsWith(FOLDER + "/") ? workspace.resolve(word).toString() : word;
    }

    /** Returns what it printed. */
    private String shell(String command) throws Exception {
        Process process = new ProcessBuilder("bash", "-ec", command)
                .directory(workspace.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(command).isZero();
        return printed;
    }

    /** The shipped settings, and those beside the routes, with what the person and this test put into the environment. */
    private Path config() throws IOException {
        environment.putAll(given);
        List<Path> files = new ArrayList<>(List.of(Path.of("application.properties")));
        String routes = environment.get("CARAVAN_ROUTES");
        if (routes != null && Files.isDirectory(Path.of(routes))) {
            try (Stream<Path> beside = Files.list(Path.of(routes))) {
                beside.filter(file -> file.toString().endsWith(".properties")).forEach(files::add);
            }
        }
        StringBuilder all = new StringBuilder();
        for (Path file : files) {
            all.append(ENVIRONMENT
                    .matcher(Files.readString(file))
                    .replaceAll(found -> Matcher.quoteReplacement(
                            environment.getOrDefault(found.group(1), found.group(2) == null ? "" : found.group(2)))));
        }
        return Files.writeString(workspace.resolve("test.properties"), all);
    }

    @Override
    public void close() throws Exception {
        for (Application each : applications) {
            each.close();
        }
        for (Relay each : relays) {
            each.close();
        }
        if (session != null) {
            session.close();
        }
        pool.close();
    }
}
