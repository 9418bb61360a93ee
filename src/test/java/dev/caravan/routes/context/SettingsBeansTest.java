package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.database.UselessConnection;
import dev.caravan.routes.component.BuiltJar;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsBeansTest {
    private static final String POOL = "#class:com.zaxxer.hikari.HikariDataSource";

    private final Map<String, String> settings = new HashMap<>();

    @TempDir
    private Path lib;

    @BeforeEach
    void poolOfH2() {
        settings.put("caravan.lib", lib.toString());
        pool("shopDb", "jdbc:h2:mem:" + UUID.randomUUID());
    }

    private void pool(String name, String url) {
        settings.put("camel.beans." + name, POOL);
        settings.put("camel.beans." + name + ".jdbcUrl", url);
        settings.put("camel.beans." + name + ".username", "sa");
        settings.put("camel.beans." + name + ".password", "pass-of-" + name);
        settings.put("camel.beans." + name + ".maximumPoolSize", "2");
        settings.put("camel.beans." + name + ".connectionTimeout", "1000");
    }

    private SettingsBeans beans() {
        return new SettingsBeans(Settings.of(settings));
    }

    @Test
    void a_data_source_is_created_once_connects_and_is_closed() throws SQLException {
        HikariDataSource source;
        try (SettingsBeans beans = beans()) {
            source = (HikariDataSource) beans.dataSource("shopDb");
            assertThat(beans.dataSource("shopDb")).isSameAs(source);
            assertThat(source.getMaximumPoolSize()).isEqualTo(2);
            try (Connection connection = beans.connect("shopDb")) {
                assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("H2");
            }
        }
        assertThat(source.isClosed()).isTrue();
    }

    @Test
    void a_pool_replaces_connections_to_a_database_that_has_become_read_only() {
        settings.put("camel.beans.own", POOL);
        settings.put("camel.beans.own.exceptionOverrideClassName", KeepsAll.class.getName());
        try (SettingsBeans beans = beans()) {
            assertThat(((HikariDataSource) beans.dataSource("shopDb")).getExceptionOverride())
                    .isInstanceOf(UselessConnection.class);
            assertThat(((HikariDataSource) beans.dataSource("own")).getExceptionOverride())
                    .isInstanceOf(KeepsAll.class);
        }
    }

    @Test
    void so_does_a_pool_of_a_route_file(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("warehouse.camel.yaml"), """
                - beans:
                    - name: warehouse
                      type: com.zaxxer.hikari.HikariDataSource
                      properties: {jdbcUrl: "jdbc:h2:mem:a"}
                """);
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.addInitialProperty("camel.main.routesIncludePattern", "file:" + file);
        main.start();
        try (HikariDataSource pool = main.getCamelContext().getRegistry().findSingleByType(HikariDataSource.class)) {
            assertThat(pool.getExceptionOverride()).isInstanceOf(UselessConnection.class);
        } finally {
            main.stop();
        }
    }

    /** Of a user. */
    public static final class KeepsAll implements SQLExceptionOverride {}

    @Test
    void it_may_refer_to_other_beans_of_the_settings() throws SQLException {
        settings.put("camel.beans.driver", "#class:org.h2.jdbcx.JdbcDataSource");
        settings.put("camel.beans.driver.url", "jdbc:h2:mem:" + UUID.randomUUID());
        settings.put("camel.beans.outer", POOL);
        settings.put("camel.beans.outer.dataSource", "#bean:driver");

        try (SettingsBeans beans = beans();
                Connection connection = beans.connect("outer")) {
            assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo("H2");
        }
    }

    @Test
    void a_wrong_bean_or_route_setting_does_not_prevent_another_one() throws SQLException {
        settings.put("camel.beans.other", "#class:com.example.Missing");
        settings.put("camel.component.kafka.nonsense", "1");
        settings.put("camel.beans.third", POOL);
        settings.put("camel.beans.third.maximumPoolSize", "many");

        try (SettingsBeans beans = beans();
                Connection connection = beans.connect("shopDb")) {
            assertThat(connection.isValid(1)).isTrue();
            assertRefused(
                    beans, "other", "camel.beans.other: the class com.example.Missing is not found. Add the component");
            assertRefused(beans, "third", "Could not create the data source third from the settings camel.beans.third");
        }
    }

    private static void assertRefused(SettingsBeans beans, String name, String... texts) {
        assertThatThrownBy(() -> beans.connect(name))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(texts);
    }

    /** The pool quotes the URL, in which each driver has its own place for the login. */
    @ParameterizedTest
    @ValueSource(strings = {"jdbc:oracle:thin:scott/tiger@db:1521/shop", "jdbc:sqlserver://db;user=scott;pwd=tiger"})
    void the_login_in_a_url_of_another_driver_is_not_shown(String url) {
        pool("otherDb", url);
        settings.put("camel.beans.otherDb.driverClassName", "org.h2.Driver");

        try (SettingsBeans beans = beans()) {
            assertThatThrownBy(() -> beans.connect("otherDb"))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContaining("jdbc:")
                    .hasMessageNotContaining("tiger");
        }
    }

    /** Drivers quote what they take for a port, a host or the name of a database. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb://joe:SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://joe:SECRET1abc@localhost/shop",
                "jdbc:mariadb://SECRET1abc@127.0.0.1:1/shop",
                "jdbc:mariadb://joe:pw/SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://joe:p%40SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://joe%3ASECRET1abc%40localhost:3306/shop",
                "jdbc:mariadb://joe:pw:SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://joe:pw,SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://joe:pw?SECRET1abc@localhost:3306/shop",
                "jdbc:mariadb://localhost:SECRET1abc/shop",
                "jdbc:mariadb://localhost:3306,other:SECRET1abc/shop",
                "jdbc:mariadb://127.0.0.1:1/joe:SECRET1abc@shop",
                "jdbc:mariadb://127.0.0.1:1/shop?user=joe&password=pw&SECRET1abc",
                "jdbc:mariadb://127.0.0.1:1/shop;user=joe;password=SECRET1abc",
                "jdbc:postgresql://127.0.0.1:1/shop?password=SECRET1abc&connectTimeout=x",
                "jdbc:postgresql://joe:SECRET1abc@localhost:1/shop",
                "jdbc:postgresql://joe:pw/SECRET1abc@localhost:1/shop",
                "jdbc:postgresql://localhost:SECRET1abc/shop",
                "jdbc:h2:mem:a;USER=joe;PASSWORD=pw;SECRET1abc",
                "jdbc:h2:tcp://joe:SECRET1abc@localhost:1/shop",
                "jdbc:h2:joe:SECRET1abc@localhost:1/shop",
            })
    void no_part_of_a_url_that_a_driver_quotes_is_a_secret(String url) {
        pool("shopDb", url);

        try (SettingsBeans beans = beans()) {
            assertThatThrownBy(() -> beans.connect("shopDb"))
                    .message()
                    .contains("shopDb")
                    .doesNotContainIgnoringCase("SECRET1abc");
        }
    }

    @Test
    void an_unknown_one_is_refused_with_the_nearest_one_or_the_settings_to_write() {
        try (SettingsBeans beans = beans()) {
            assertRefused(beans, "shopDB", "There is no data source shopDB in the settings, did you mean shopDb?");
            assertRefused(
                    beans,
                    "warehouse",
                    "camel.beans.warehouse=" + POOL + "\n",
                    "camel.beans.warehouse.password={{env:WAREHOUSE_PASSWORD}}",
                    "./caravan component add org.mariadb.jdbc:mariadb-java-client:");
        }
    }

    @Test
    void the_lines_to_write_are_read_as_they_are_meant() throws IOException {
        String url = "jdbc:sqlserver://db\\\\one;databaseName=shop";
        Properties written = new Properties();

        written.load(new StringReader(SettingsBeans.lines("shopDb", url, "caravan")));

        assertThat(written).containsEntry("camel.beans.shopDb.jdbcUrl", url).hasSize(5);
    }

    @Test
    void one_of_a_route_file_is_found_by_its_name_in_camel() {
        JdbcDataSource ofRoutes = new JdbcDataSource();

        try (SettingsBeans beans = new SettingsBeans(Settings.of(settings), name -> Optional.<DataSource>of(ofRoutes)
                .filter(any -> name.equals("ofRoutes")))) {
            assertThat(beans.dataSource("ofRoutes")).isSameAs(ofRoutes);
            assertRefused(beans, "none", "There is no data source none");
        }
    }

    @Test
    void a_bean_of_another_type_is_no_data_source() {
        settings.put("camel.beans.text", "#class:java.util.ArrayList");

        try (SettingsBeans beans = beans()) {
            assertRefused(
                    beans,
                    "text",
                    "The bean text of the settings is a java.util.ArrayList, not a javax.sql.DataSource");
        }
    }

    @Test
    void without_a_driver_the_command_that_adds_it_is_named_and_no_secret() {
        pool("oracleDb", "jdbc:oracle:thin:scott/tiger@localhost:1521/shop");
        pool("unknownDb", "jdbc:unknown://localhost/shop?password=tiger");
        pool("classDb", "jdbc:mysql://localhost/shop");
        settings.put("camel.beans.classDb.driverClassName", "com.mysql.jdbc.NoDriver");

        try (SettingsBeans beans = beans()) {
            assertRefused(
                    beans,
                    "oracleDb",
                    "No JDBC driver was found for the data source oracleDb (jdbc:oracle:) in the relay and in " + lib,
                    "Add the driver of Oracle",
                    "./caravan component add com.oracle.database.jdbc:ojdbc11:");
            assertRefused(beans, "classDb", "com.mysql.jdbc.NoDriver", "Add the driver of MySQL");
            assertRefused(beans, "unknownDb", "(jdbc:unknown:)", "mysql-connector-j");
            assertThatThrownBy(() -> beans.connect("oracleDb")).message().doesNotContain("tiger");
        }
    }

    @Test
    void a_driver_in_lib_is_used() throws Exception {
        new BuiltJar().shelfDriver("shop.ShelfDriver").in(lib, "shelf.jar");
        pool("shelf", "jdbc:shelf:one");

        try (SettingsBeans beans = beans()) {
            assertThatThrownBy(() -> beans.connect("shelf"))
                    .isInstanceOf(SQLException.class)
                    .hasMessage(
                            "Could not connect to the database of the data source shelf: the shelf is empty. Check the"
                                    + " settings camel.beans.shelf.");
        }
    }

    @Test
    void a_refused_login_is_explained_without_the_password() throws SQLException {
        String url = settings.get("camel.beans.shopDb.jdbcUrl");
        try (SettingsBeans beans = beans();
                Connection open = beans.connect("shopDb")) {
            pool("wrongDb", url);
            try (SettingsBeans others = beans()) {
                assertThat(open.isValid(1)).isTrue();
                assertThatThrownBy(() -> others.connect("wrongDb"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageStartingWith(
                                "Could not connect to the database of the data source wrongDb: Wrong user name or"
                                        + " password")
                        .message()
                        .doesNotContain("pass-of-wrongDb");
            }
        }
    }
}
