package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.SettingsException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;

class DataSourceLoginTest {
    private static final String URL = "jdbc:postgresql://db:5433/shop";

    @Test
    void hikari_tells_its_url_user_password_and_the_properties_of_the_driver() {
        HikariDataSource pool = hikari();
        pool.addDataSourceProperty("socketTimeout", 7);

        Login login = DataSourceLogin.of(pool);

        assertThat(login.url()).isEqualTo(URL);
        assertThat(login.user()).isEqualTo("app");
        assertThat(login.password()).isEqualTo("secret");
        assertThat(login.properties()).isEqualTo(Map.of("socketTimeout", "7"));
    }

    @Test
    void a_password_that_changes_is_read_for_each_session() {
        HikariDataSource pool = hikari();
        DataSourceLogin.of(pool);

        pool.setPassword("rotated");

        assertThat(DataSourceLogin.of(pool).password()).isEqualTo("rotated");
    }

    @Test
    void hikari_around_another_data_source_or_its_class_is_read() {
        HikariDataSource around = new HikariDataSource();
        around.setDataSource(driver());
        HikariDataSource ofClass = new HikariDataSource();
        ofClass.setDataSourceClassName(PGSimpleDataSource.class.getName());
        ofClass.addDataSourceProperty("serverName", "db");
        ofClass.addDataSourceProperty("portNumber", 5433);
        ofClass.addDataSourceProperty("databaseName", "shop");
        ofClass.setUsername("app");
        ofClass.setPassword("secret");

        for (DataSource pool : List.of(around, ofClass)) {
            assertIsShop(DataSourceLogin.of(pool));
        }
    }

    @Test
    void the_data_sources_of_the_driver_and_of_spring_and_their_wrappers_are_read() {
        var spring = new DriverManagerDataSource(URL, "app", "secret");
        Properties properties = new Properties();
        properties.setProperty("sslmode", "require");
        spring.setConnectionProperties(properties);

        for (DataSource source : List.of(
                driver(),
                spring,
                new TransactionAwareDataSourceProxy(hikari()),
                new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(hikari())),
                new Observed(hikari()))) {
            assertIsShop(DataSourceLogin.of(source));
        }
        assertThat(DataSourceLogin.of(spring).properties()).containsEntry("sslmode", "require");
    }

    @Test
    void parameters_of_the_url_are_kept_and_several_hosts_too() {
        HikariDataSource pool = hikari();
        pool.setJdbcUrl("jdbc:postgresql://one:5432,two:5433/shop?sslmode=require&targetServerType=primary"
                + "&currentSchema=app&prepareThreshold=0&socketTimeout=9&stringtype=varchar");

        PGSimpleDataSource source = DataSourceLogin.of(pool)
                .source(Map.of(PGProperty.STRING_TYPE, "unspecified"), Map.of(PGProperty.SOCKET_TIMEOUT, "30"));

        assertThat(source.getServerNames()).containsExactly("one", "two");
        assertThat(source.getPortNumbers()).containsExactly(5432, 5433);
        assertThat(source.getSslmode()).isEqualTo("require");
        assertThat(source.getTargetServerType()).isEqualTo("primary");
        assertThat(source.getCurrentSchema()).isEqualTo("app");
        assertThat(source.getPrepareThreshold()).isZero();
        assertThat(source.getSocketTimeout()).isEqualTo(9);
        assertThat(source.getStringType()).isEqualTo("unspecified");
        assertThat(source.getUser()).isEqualTo("app");
    }

    @Test
    void a_timeout_of_0_is_the_default_because_a_half_open_connection_would_never_end() {
        Login login = DataSourceLogin.of(driver());

        PGSimpleDataSource source = login.source(Map.of(), Map.of(PGProperty.SOCKET_TIMEOUT, "30"));

        assertThat(source.getSocketTimeout()).isEqualTo(30);
        assertThat(login.timeout(PGProperty.SOCKET_TIMEOUT, 30)).hasSeconds(30);
    }

    @Test
    void the_url_of_a_driver_that_observes_another_is_that_of_the_other() {
        HikariDataSource pool = hikari();
        pool.setJdbcUrl("jdbc:p6spy:postgresql://db:5433/shop");

        assertIsShop(DataSourceLogin.of(pool));
    }

    @Test
    void a_data_source_that_cannot_be_read_is_refused_with_its_class_and_what_to_set() {
        var otherUser = new UserCredentialsDataSourceAdapter();
        otherUser.setTargetDataSource(hikari());

        for (DataSource source : List.of(new Silent(), otherUser, new HikariDataSource())) {
            assertThatThrownBy(() -> DataSourceLogin.of(source))
                    .isInstanceOf(SettingsException.class)
                    .hasMessageContainingAll(source.getClass().getName(), "camel.component.outbox.url", "password");
        }
    }

    @Test
    void another_database_is_refused_without_its_url() {
        var other = new DriverManagerDataSource("jdbc:mysql://db/shop?password=secret", "app", "secret");

        assertThatThrownBy(() -> DataSourceLogin.of(other))
                .isInstanceOf(SettingsException.class)
                .hasMessageContainingAll(
                        "Postgres", "begins with jdbc:mysql:.", DriverManagerDataSource.class.getName())
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_user_before_the_host_is_refused_without_naming_it() {
        var other = new DriverManagerDataSource("jdbc:postgresql://app:secret@db/shop");

        assertThatThrownBy(() -> DataSourceLogin.of(other))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("before the host")
                .hasMessageNotContaining("secret");
    }

    private static void assertIsShop(Login login) {
        PGSimpleDataSource source = login.source(Map.of(), Map.of());
        assertThat(source.getServerNames()).containsExactly("db");
        assertThat(source.getPortNumbers()).containsExactly(5433);
        assertThat(source.getDatabaseName()).isEqualTo("shop");
        assertThat(source.getUser()).isEqualTo("app");
        assertThat(source.getPassword()).isEqualTo("secret");
        assertThat(login.toString()).doesNotContain("secret");
    }

    private static HikariDataSource hikari() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(URL);
        pool.setUsername("app");
        pool.setPassword("secret");
        return pool;
    }

    private static PGSimpleDataSource driver() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(URL);
        source.setUser("app");
        source.setPassword("secret");
        return source;
    }

    /** Tells nothing. */
    private static class Silent extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("not opened in this test");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** As libraries that observe a data source wrap it. */
    private static final class Observed extends Silent {
        private final DataSource target;

        Observed(DataSource target) {
            this.target = target;
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return type.isInstance(target) || target.isWrapperFor(type);
        }
    }
}
