package dev.caravan.routes.context;

import java.util.Arrays;
import java.util.stream.Collectors;

/** JDBC drivers that the relay does not have, and how to add them. */
enum JdbcDriver {
    MARIADB("jdbc:mariadb:", "MariaDB", "org.mariadb.jdbc:mariadb-java-client:3.5.1"),
    MYSQL("jdbc:mysql:", "MySQL", "com.mysql:mysql-connector-j:8.4.0"),
    SQL_SERVER("jdbc:sqlserver:", "SQL Server", "com.microsoft.sqlserver:mssql-jdbc:13.2.1.jre11"),
    ORACLE("jdbc:oracle:", "Oracle", "com.oracle.database.jdbc:ojdbc11:23.5.0.24.07"),
    H2("jdbc:h2:", "H2", "com.h2database:h2:2.3.232");

    private final String url;
    private final String database;
    private final String artifact;

    JdbcDriver(String url, String database, String artifact) {
        this.url = url;
        this.database = database;
        this.artifact = artifact;
    }

    /**
     * How to add the driver for a URL; for another URL, the known drivers.
     *
     * @return sentences
     */
    static String advice(String url) {
        return Arrays.stream(values())
                .filter(driver -> url.startsWith(driver.url))
                .findFirst()
                .map(driver ->
                        "Add the driver of " + driver.database + ", or copy its jar into lib: " + driver.command())
                .orElseGet(() -> url.startsWith("jdbc:postgresql:")
                        ? "Correct the URL."
                        : "The driver must be in lib (that of Postgres is part of the relay). Copy its jar there, or add it:\n"
                                + Arrays.stream(values())
                                        .filter(driver -> driver != H2)
                                        .map(driver -> driver.command() + "  # " + driver.database)
                                        .collect(Collectors.joining("\n")));
    }

    private String command() {
        return "./caravan component add " + artifact;
    }
}
