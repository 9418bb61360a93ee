package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.WrittenLog;
import dev.caravan.lab.servers.TcpProxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.net.SocketFactory;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.properties.DefaultPropertiesParser;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.impl.engine.DefaultClassResolver;
import org.apache.camel.main.Main;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The component in the context of an application that only has a data source. */
class EmbeddedComponentIT {
    private final TestOutbox outbox = TestOutbox.create();
    private final TestDestination destination = new TestDestination();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void a_data_source_in_the_registry_is_all_that_a_route_needs() throws Exception {
        CamelContext context = context(Map.of("shop", pool()));
        context.start();

        delivers();
    }

    /** The pool of an application with Hibernate has no auto-commit, and often few connections. */
    @Test
    void the_settings_of_the_pool_of_the_application_do_not_matter_and_its_connections_are_not_used() throws Exception {
        HikariDataSource pool = pool();
        pool.setAutoCommit(false);
        pool.setMaximumPoolSize(1);
        pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        CamelContext context = context(Map.of("shop", pool));
        context.start();

        try (var all = pool.getConnection()) {
            outbox.insert("77");

            eventually(() -> assertThat(destination.ids()).containsExactly(1L));
            assertThat(all.isReadOnly()).isFalse();
        }
        assertThat(outbox.jdbc().queryForList("""
                select distinct application_name from pg_stat_activity
                where datname = current_database() and application_name = 'caravan'
                """, String.class)).containsExactly("caravan");
    }

    @Test
    void ids_of_delivered_messages_are_stored_in_the_database_of_the_outbox() throws Exception {
        CamelContext context = new DefaultCamelContext();
        open.push(context);
        context.getRegistry().bind("shop", DataSource.class, pool());
        RouteBuilder.addRoutes(context, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders?idempotent=true").process(destination);
        });
        context.start();

        delivers();
        eventually(() -> assertThat(outbox.number("select count(*) from outbox_idempotent"))
                .isEqualTo(1));
    }

    @Test
    void two_components_of_one_context_store_the_ids_each_in_its_own_database_also_after_a_restart() throws Exception {
        TestOutbox other = TestOutbox.create();
        Map<String, HikariDataSource> pools = Map.of("outbox", pool(), "archive-outbox", pool(other));
        CamelContext context = new DefaultCamelContext();
        open.push(context);
        RouteBuilder.addRoutes(context, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            for (String name : pools.keySet()) {
                routes.from(name + ":orders?idempotent=true").routeId(name).process(destination);
            }
        });
        for (int run = 1; run <= 2; run++) {
            pools.forEach((name, pool) -> {
                OutboxComponent component = new OutboxComponent();
                component.setDataSource(pool);
                context.addComponent(name, component);
            });
            context.start();
            outbox.insert("77");
            other.insert("77");
            for (TestOutbox each : List.of(outbox, other)) {
                int expected = run;
                eventually(() -> assertThat(
                                each.jdbc().queryForList("select processorname from outbox_idempotent", String.class))
                        .hasSize(expected)
                        .containsOnly("orders"));
            }
            context.stop();
        }
    }

    @Test
    void of_several_data_sources_the_component_asks_to_name_one() throws Exception {
        CamelContext context = context(Map.of("shop", pool(), "archive", pool()));

        assertThatThrownBy(context::start)
                .hasStackTraceContaining("the registry has 2: archive, shop")
                .hasStackTraceContaining("camel.component.outbox.dataSource=#bean:archive");
    }

    @Test
    void without_a_data_source_the_component_says_what_to_set() throws Exception {
        CamelContext context = context(Map.of());

        assertThatThrownBy(context::start).hasStackTraceContaining("camel.component.outbox.url");
    }

    @Test
    void a_context_without_main_reads_the_properties_of_the_component_in_both_spellings() throws Exception {
        CamelContext context = context(Map.of("shop", pool(), "archive", pool()));
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.data-source", "#bean:shop");
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.leaseDuration", "3s");
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.max-answer-bytes", "2048");
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.relay", "by-property");
        OutboxComponent component = new OutboxComponent();
        component.setRelay("by-code");
        context.addComponent("outbox", component);
        context.start();

        assertThat(component.getLeaseDuration()).isEqualTo(3_000);
        assertThat(component.getMaxAnswerBytes()).isEqualTo(2_048);
        assertThat(component.getRelay()).isEqualTo("by-code");
        delivers();
    }

    /** Spring Boot looks up each property in its environment, and does not list them to Camel. */
    @Test
    void properties_that_can_only_be_looked_up_are_read_too() throws Exception {
        CamelContext context = context(Map.of("shop", pool(), "archive", pool()));
        ((org.apache.camel.component.properties.PropertiesComponent) context.getPropertiesComponent())
                .setPropertiesParser(new DefaultPropertiesParser() {
                    @Override
                    public String customLookup(String key) {
                        return key.equals("camel.component.outbox.data-source") ? "#bean:shop" : null;
                    }
                });
        context.start();

        delivers();
    }

    @Test
    void an_unknown_property_is_a_warning_with_the_nearest_name() throws Exception {
        CamelContext context = context(Map.of("shop", pool()));
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.lease-durations", "3s");

        try (WrittenLog log = WrittenLog.of(ContextOptions.class)) {
            context.start();

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("lease-durations", ", did you mean leaseDuration?");
        }
    }

    @Test
    void camel_main_sets_the_options_itself() throws Exception {
        Main main = new Main();
        open.push(main::stop);
        main.setDefaultPropertyPlaceholderLocation("false");
        Properties properties = new Properties();
        properties.setProperty("camel.component.outbox.data-source", "#bean:shop");
        properties.setProperty("camel.component.outbox.presence", "false");
        main.setInitialProperties(properties);
        main.bind("shop", pool());
        main.bind("archive", pool());
        main.configure().addLambdaRouteBuilder(route(destination));
        main.start();

        delivers();
        assertThat(main.getCamelContext()
                        .getComponent("outbox", OutboxComponent.class)
                        .isPresence())
                .isFalse();
    }

    @Test
    void url_user_and_password_replace_a_data_source() throws Exception {
        CamelContext context = context(Map.of());
        OutboxComponent component = new OutboxComponent();
        component.setUrl(outbox.url() + "?prepareThreshold=0");
        component.setUser(TestPostgres.server().user());
        component.setPassword(TestPostgres.server().password());
        context.addComponent("outbox", component);
        context.start();

        delivers();
    }

    /** The socket factory of a cloud, for example, reads from the URL to which server it connects. */
    @Test
    void parameters_for_a_plug_in_of_the_driver_reach_it() throws Exception {
        HikariDataSource pool = pool();
        pool.setJdbcUrl(outbox.url() + "?socketFactory=" + PluggedSockets.class.getName() + "&server.name=a%26b");
        pool.addDataSourceProperty("server.zone", "1");
        CamelContext context = context(Map.of("shop", pool));
        context.start();

        delivers();
    }

    /** Created by the driver. */
    public static final class PluggedSockets extends SocketFactory {
        public PluggedSockets(Properties parameters) {
            assertThat(parameters).containsEntry("server.name", "a&b").containsEntry("server.zone", "1");
        }

        @Override
        public Socket createSocket() {
            return new Socket();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void two_components_of_one_context_and_two_contexts_deliver_from_their_own_databases() throws Exception {
        TestOutbox other = TestOutbox.create();
        TestDestination second = new TestDestination();
        CamelContext context = context(Map.of("shop", pool(), "archive", pool(other)));
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.dataSource", "#bean:shop");
        OutboxComponent archive = new OutboxComponent();
        archive.setDataSource(context.getRegistry().lookupByNameAndType("archive", DataSource.class));
        context.addComponent("archive-outbox", archive);
        RouteBuilder.addRoutes(context, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("archive-outbox:orders").process(second);
        });
        context.start();
        TestDestination third = new TestDestination();
        TestOutbox elsewhere = TestOutbox.create();
        CamelContext next = context(Map.of("dataSource", pool(elsewhere)), third);
        next.start();

        outbox.insert("1");
        other.insert("2");
        elsewhere.insert("3");

        eventually(() -> {
            assertThat(keys(destination)).containsExactly("1");
            assertThat(keys(second)).containsExactly("2");
            assertThat(keys(third)).containsExactly("3");
        });
    }

    @Test
    void a_context_that_is_stopped_and_started_again_goes_on() throws Exception {
        HikariDataSource pool = pool();
        CamelContext context = context(Map.of("shop", pool));
        OutboxComponent bean = new OutboxComponent();
        context.getRegistry().bind("outbox", bean);
        context.start();
        outbox.insert("1");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));

        context.getRouteController().suspendRoute("orders");
        context.getRouteController().resumeRoute("orders");
        outbox.insert("2");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));

        context.stop();
        eventually(() -> assertThat(sessions()).isZero()); // the server ends a closed session a moment later
        outbox.insert("3");
        context.getRegistry().bind("shop", pool); // a context that stops forgets what was bound; one of Spring does not
        context.getRegistry().bind("outbox", bean);
        context.start();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L));
    }

    /** Spring closes the beans of an application in an order that Camel does not know. */
    @Test
    void a_pool_that_the_application_closes_first_does_not_disturb_the_stop() throws Exception {
        HikariDataSource pool = pool();
        CamelContext context = context(Map.of("shop", pool));
        context.start();
        outbox.insert("1");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));

        pool.close();
        outbox.insert("2");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
        context.stop();

        assertThat(outbox.number("select count(*) from outbox_subscription where lease_until > now()"))
                .isZero();
        eventually(() -> assertThat(sessions()).isZero()); // the server ends a closed session a moment later
    }

    @Test
    void missing_tables_end_the_start_with_what_to_do() throws Exception {
        CamelContext context = context(Map.of("shop", pool(TestOutbox.withoutTables())));

        assertThatThrownBy(context::start)
                .hasStackTraceContaining("Tables outbox,")
                .hasStackTraceContaining("./caravan schema apply")
                .hasStackTraceContaining("schemaAuto");
    }

    @Test
    void schemaAuto_without_flyway_names_the_dependencies() throws Exception {
        DefaultCamelContext context = (DefaultCamelContext) context(Map.of("shop", pool()));
        context.getPropertiesComponent().addInitialProperty("camel.component.outbox.schema-auto", "true");
        context.setClassResolver(new DefaultClassResolver(context) {
            @Override
            public Class<?> resolveClass(String name) {
                return name.startsWith("org.flywaydb.") ? null : super.resolveClass(name);
            }
        });

        assertThatThrownBy(context::start)
                .hasStackTraceContaining("org.flywaydb:flyway-core")
                .hasStackTraceContaining("org.flywaydb:flyway-database-postgresql");
    }

    @Test
    void instances_that_start_at_once_with_schemaAuto_create_the_tables_in_their_schema() throws Exception {
        TestOutbox empty = TestOutbox.withoutTables();
        List<Thread> starts = new java.util.ArrayList<>();
        List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int n = 0; n < 3; n++) {
            CamelContext context = context(Map.of("shop", pool(empty)));
            context.getPropertiesComponent().addInitialProperty("camel.component.outbox.schemaAuto", "true");
            context.getPropertiesComponent().addInitialProperty("camel.component.outbox.schema", "Mail Box");
            starts.add(new Thread(context::start));
        }
        starts.forEach(start -> start.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure)));

        starts.forEach(Thread::start);
        for (Thread start : starts) {
            start.join();
        }

        assertThat(failures).isEmpty();
        empty.execute(
                "insert into \"Mail Box\".outbox (aggregate_type, aggregate_id, type) values ('order', '1', 'x')");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    @Test
    void an_application_starts_while_its_database_is_away_and_delivers_when_it_is_back() throws Exception {
        String url = outbox.url();
        int port = URI.create(url.substring("jdbc:".length())).getPort();
        try (TcpProxy proxy = TcpProxy.to(port);
                WrittenLog log = WrittenLog.of(dev.caravan.database.schema.DatabaseReadiness.class)) {
            proxy.refuse();
            HikariDataSource pool = pool();
            pool.setJdbcUrl(url.replace(":" + port + "/", ":" + proxy.port() + "/"));
            CamelContext context = context(Map.of("shop", pool));
            context.start();
            outbox.insert("77");
            assertThat(log.lines()).anySatisfy(line -> assertThat(line).contains("The routes wait for the database"));

            proxy.pass();

            eventually(() -> assertThat(destination.ids()).containsExactly(1L));
            assertThat(log.lines()).anySatisfy(line -> assertThat(line).contains("The database is available"));
        }
    }

    @Test
    void a_database_that_comes_back_without_tables_is_an_error_until_they_exist() throws Exception {
        TestOutbox empty = TestOutbox.withoutTables();
        int port = URI.create(empty.url().substring("jdbc:".length())).getPort();
        try (TcpProxy proxy = TcpProxy.to(port);
                WrittenLog log = WrittenLog.of(OutboxDatabase.class)) {
            proxy.refuse();
            HikariDataSource pool = pool(empty);
            pool.setJdbcUrl(empty.url().replace(":" + port + "/", ":" + proxy.port() + "/"));
            CamelContext context = context(Map.of("shop", pool));
            context.start();

            proxy.pass();

            eventually(() -> assertThat(log.lines()).singleElement().asString().contains("schema apply"));
            empty.createTables();
            empty.insert("77");
            eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        }
    }

    @Test
    void sessions_that_open_after_a_password_has_changed_use_the_new_one() throws Exception {
        String role = outbox.roleWithGrants();
        HikariDataSource pool = pool();
        pool.setUsername(role);
        pool.setPassword(TestOutbox.PASSWORD_OF_ROLES);
        CamelContext context = context(Map.of("shop", pool));
        context.start();
        outbox.insert("1");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));

        outbox.execute("alter role " + role + " password 'rotated'");
        pool.setPassword("rotated");
        outbox.jdbc().queryForList("select pg_terminate_backend(pid) from pg_stat_activity where usename = ?", role);
        outbox.insert("2");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
    }

    private void delivers() throws Exception {
        outbox.insert("77");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    private static List<String> keys(TestDestination destination) {
        return destination.arrivals().stream().map(TestDestination.Arrival::key).toList();
    }

    private long sessions() {
        return new JdbcTemplate(outbox.dataSource()).queryForObject("""
                select count(*) from pg_stat_activity
                where datname = current_database() and application_name = 'caravan'
                """, Long.class);
    }

    private CamelContext context(Map<String, DataSource> sources) throws Exception {
        return context(sources, destination);
    }

    private CamelContext context(Map<String, DataSource> sources, TestDestination to) throws Exception {
        DefaultCamelContext context = new DefaultCamelContext();
        open.push(context);
        sources.forEach((name, source) -> context.getRegistry().bind(name, source));
        context.getShutdownStrategy().setTimeout(5);
        RouteBuilder.addRoutes(context, route(to));
        return context;
    }

    private static LambdaRouteBuilder route(TestDestination to) {
        return routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:orders").routeId("orders").process(to);
        };
    }

    private HikariDataSource pool() {
        return pool(outbox);
    }

    private HikariDataSource pool(TestOutbox database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.url());
        pool.setUsername(TestPostgres.server().user());
        pool.setPassword(TestPostgres.server().password());
        pool.setMinimumIdle(0);
        pool.setInitializationFailTimeout(-1);
        open.push(pool);
        return pool;
    }
}
