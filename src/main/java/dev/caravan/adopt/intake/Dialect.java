package dev.caravan.adopt.intake;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** What databases write differently. */
enum Dialect {
    /** MariaDB and MySQL. */
    MARIADB("limit", 30_000),
    POSTGRES("limit", 30_000),
    /** Not each of its modes has the word limit. */
    H2("fetch", 30_000),
    /** At most 2,100 parameters; some are used by the driver. */
    SQL_SERVER("top", 2_000),
    /** At most 1,000 values in a list. */
    ORACLE("fetch", 1_000),
    /** As the standard says. */
    OTHER("fetch", 1_000);

    /** Except in MariaDB and MySQL, the keys of several columns are planned one by one. */
    private static final int MOST_CONDITIONS = 500;

    private final String limit;
    private final int parameters;

    Dialect(String limit, int parameters) {
        this.limit = limit;
        this.parameters = parameters;
    }

    static Dialect of(DatabaseMetaData database) throws SQLException {
        return of(database.getDatabaseProductName());
    }

    /** @param product as the driver names the database */
    static Dialect of(String product) {
        String name = product.toLowerCase(Locale.ROOT);
        if (name.contains("mariadb") || name.contains("mysql")) {
            return MARIADB;
        }
        if (name.contains("postgres") || name.contains("sqlite")) {
            return POSTGRES;
        }
        if (name.contains("sql server")) {
            return SQL_SERVER;
        }
        return name.equals("h2") ? H2 : name.contains("oracle") ? ORACLE : OTHER;
    }

    /** A statement that returns at most a number of rows. */
    String limited(String columns, String rest, int rows) {
        return switch (limit) {
            case "top" -> "select top (" + rows + ") " + columns + rest;
            case "fetch" -> "select " + columns + rest + " fetch first " + rows + " rows only";
            default -> "select " + columns + rest + " limit " + rows;
        };
    }

    /** The most rows whose keys fit into one statement. */
    int rows(int columnsOfKey) {
        int fit = parameters / columnsOfKey;
        return columnsOfKey == 1 || this == MARIADB ? fit : Math.min(MOST_CONDITIONS, fit);
    }

    /**
     * The condition of rows with certain keys, with parameters.
     *
     * @param key the columns of the key
     */
    String among(List<String> key, int rows) {
        if (rows == 1) {
            return key.stream().map(column -> column + " = ?").collect(Collectors.joining(" and ", "(", ")"));
        }
        if (key.size() == 1) {
            return key.get(0) + " in (" + repeated("?", ", ", rows) + ")";
        }
        if (this == MARIADB) { // as fast as a single column
            String one = "(" + repeated("?", ", ", key.size()) + ")";
            return "(" + String.join(", ", key) + ") in (" + repeated(one, ", ", rows) + ")";
        }
        return "(" + repeated(among(key, 1), " or ", rows) + ")";
    }

    private static String repeated(String text, String between, int times) {
        return String.join(between, Collections.nCopies(times, text));
    }

    /**
     * The number of rows with which a driver reads from the network as they are needed, so that it does not keep a batch in memory; empty if it asks for
     * each such number of rows.
     */
    static OptionalInt fetchSize(Connection connection) throws SQLException {
        String driver = connection.getMetaData().getDriverName();
        if (driver.startsWith("MySQL Connector")) {
            return OptionalInt.of(Integer.MIN_VALUE);
        }
        return driver.startsWith("MariaDB") ? OptionalInt.of(1) : OptionalInt.empty();
    }
}
