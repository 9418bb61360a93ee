package dev.caravan.adopt.intake;

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * How a column of a result is read.
 *
 * @param type of {@link Types}, or of the driver
 * @param name as the database calls the type, in lower case
 * @param size the precision, or length
 */
record ColumnType(int type, String name, int size, boolean nullable, Dialect dialect) {
    private static final int SQL_SERVER_OFFSET = -155;
    private static final int ORACLE_ZONED = -101;
    private static final int ORACLE_LOCAL = -102;
    /** Of MariaDB, whose driver does not return them as a stream. */
    private static final Set<String> GEOMETRIES = Set.of(
            "geometry",
            "point",
            "linestring",
            "polygon",
            "multipoint",
            "multilinestring",
            "multipolygon",
            "geometrycollection");

    private static final int LAST_YEAR = 9999;
    private static final int LONGEST = 65_535;

    static ColumnType of(ResultSetMetaData columns, int column, Dialect dialect) throws SQLException {
        return new ColumnType(
                columns.getColumnType(column),
                Optional.ofNullable(columns.getColumnTypeName(column))
                        .orElse("")
                        .toLowerCase(Locale.ROOT),
                columns.getPrecision(column),
                columns.isNullable(column) == ResultSetMetaData.columnNullable,
                dialect);
    }

    /** Whether values of the type are padded with blanks. */
    boolean isPadded() {
        return type == Types.CHAR || type == Types.NCHAR;
    }

    boolean isText() {
        return isPadded() || type == Types.VARCHAR || type == Types.NVARCHAR;
    }

    /** Whether no value of the type is JSON. */
    boolean isNeverJson() {
        return List.of(Types.DATE, Types.TIME, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE, SQL_SERVER_OFFSET)
                                .contains(type)
                        && !name.equals("year")
                || List.of("uuid", "uniqueidentifier").contains(name);
    }

    /** Why a column of the type cannot identify a row; empty if it can. */
    Optional<String> problemAsKey() {
        return switch (type) {
            case Types.DATE,
                    Types.TIME,
                    Types.TIMESTAMP,
                    Types.TIME_WITH_TIMEZONE,
                    Types.TIMESTAMP_WITH_TIMEZONE,
                    SQL_SERVER_OFFSET,
                    ORACLE_ZONED,
                    ORACLE_LOCAL -> Optional.of("a time, and drivers do not compare times exactly");
            case Types.REAL, Types.FLOAT, Types.DOUBLE ->
                Optional.of("a binary floating-point number, and these are not compared exactly");
            case Types.CLOB, Types.NCLOB, Types.BLOB, Types.LONGVARCHAR, Types.LONGNVARCHAR, Types.LONGVARBINARY ->
                Optional.of("a large object, and these are not compared");
            case Types.ARRAY, Types.STRUCT, Types.SQLXML, Types.REF, Types.ROWID ->
                Optional.of("of the type " + name + ", whose values are not compared");
            default -> Optional.empty();
        };
    }

    /** A text or bytes of any length, which are read as a stream. */
    private boolean isLong() {
        return size <= 0 || size > LONGEST;
    }

    /** The expression of the number of bytes of a column, if a value can have hundreds of megabytes. */
    Optional<String> size(String sql) {
        boolean isUnlimited =
                switch (type) {
                    case Types.CLOB,
                            Types.NCLOB,
                            Types.LONGVARCHAR,
                            Types.LONGNVARCHAR,
                            Types.BLOB,
                            Types.LONGVARBINARY -> true;
                    case Types.VARCHAR, Types.NVARCHAR, Types.BINARY, Types.VARBINARY ->
                        isLong() && !name.equals("uuid") && !GEOMETRIES.contains(name);
                    default -> isJson();
                };
        boolean isCast = dialect == Dialect.POSTGRES && isJson();
        return isUnlimited
                ? Optional.of("octet_length(" + (isCast ? "cast(" + sql + " as text)" : sql) + ")")
                : Optional.empty();
    }

    /**
     * The value in the current row. It must be read once only, in the order of the columns.
     *
     * @param most the most bytes, or characters, that are kept
     */
    Value read(ResultSet row, int column, long most, Optional<ZoneId> zone) throws SQLException {
        Object value = value(row, column, most, zone);
        return value == null || row.wasNull() ? Value.NULL : new Value(value, isJson());
    }

    private boolean isJson() {
        return name.equals("json") || name.equals("jsonb");
    }

    private Object value(ResultSet row, int column, long most, Optional<ZoneId> zone) throws SQLException {
        return switch (type) {
            case Types.CHAR, Types.NCHAR, Types.VARCHAR, Types.NVARCHAR ->
                isLong() ? text(row.getCharacterStream(column), most) : bounded(text(row.getString(column)), most);
            case Types.CLOB, Types.NCLOB, Types.LONGVARCHAR, Types.LONGNVARCHAR ->
                isJson() ? bounded(row.getString(column), most) : text(row.getCharacterStream(column), most);
            case Types.BLOB, Types.LONGVARBINARY -> bytes(row.getBinaryStream(column), most);
            case Types.BINARY, Types.VARBINARY ->
                name.equals("uuid") ? any(row, column, most) : binary(row, column, most);
            case Types.DATE -> name.equals("year") ? (Object) row.getLong(column) : date(row, column);
            case Types.TIME -> time(row, column);
            case Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE, SQL_SERVER_OFFSET, ORACLE_ZONED, ORACLE_LOCAL ->
                isZoned() ? zoned(row, column) : local(row, column, zone);
            case Types.BIT, Types.BOOLEAN -> dialect == Dialect.MARIADB ? flag(row, column) : any(row, column, most);
            // of Oracle: decimal, although its driver would return a double
            case Types.FLOAT -> dialect == Dialect.ORACLE ? row.getBigDecimal(column) : any(row, column, most);
            default -> isJson() ? bounded(row.getString(column), most) : any(row, column, most);
        };
    }

    /** UUIDs in one form: SQL Server writes them in upper case. */
    private Object text(String text) {
        return text != null && name.equals("uniqueidentifier") ? UUID.fromString(text.strip()) : text;
    }

    /** {@code tinyint(1)} may have other values than 0 and 1; {@code bit(8)} is a number. */
    private Object flag(ResultSet row, int column) throws SQLException {
        if (size == Long.SIZE) {
            byte[] bits = row.getBytes(column); // as a long it would be negative
            return bits == null ? null : new BigInteger(1, bits);
        }
        long value = row.getLong(column);
        return size <= 1 && (value == 0 || value == 1) ? (Object) (value == 1) : (Object) value;
    }

    private Object binary(ResultSet row, int column, long most) throws SQLException {
        return isLong() && !GEOMETRIES.contains(name)
                ? bytes(row.getBinaryStream(column), most)
                : bounded(row.getBytes(column), most);
    }

    private static Object date(ResultSet row, int column) throws SQLException {
        LocalDate date = row.getObject(column, LocalDate.class);
        return date == null ? null : date.getYear() > LAST_YEAR ? row.getString(column) : date.toString();
    }

    private Object time(ResultSet row, int column) throws SQLException {
        if (dialect == Dialect.MARIADB || name.equals("timetz")) {
            return row.getString(column); // -838:59:59 is one there
        }
        LocalTime time = row.getObject(column, LocalTime.class);
        return time == null ? null : DateTimeFormatter.ISO_LOCAL_TIME.format(time);
    }

    private boolean isZoned() {
        return type != Types.TIMESTAMP || name.equals("timestamptz");
    }

    private static Object zoned(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        if (time == null) {
            return null;
        }
        return isShown(time.getYear())
                ? DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time.withOffsetSameInstant(ZoneOffset.UTC))
                : row.getString(column);
    }

    private static Object local(ResultSet row, int column, Optional<ZoneId> zone) throws SQLException {
        LocalDateTime time = row.getObject(column, LocalDateTime.class);
        if (time == null) {
            return null;
        }
        if (!isShown(time.getYear())) {
            return row.getString(column);
        }
        return zone.isPresent()
                ? DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time.atZone(zone.get()))
                : DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time);
    }

    /** Postgres has infinity, which its driver returns as a year far away. */
    private static boolean isShown(int year) {
        return year >= 0 && year <= LAST_YEAR;
    }

    private Object any(ResultSet row, int column, long most) throws SQLException {
        if (isObjectOfJava()) {
            return bounded(row.getString(column), most);
        }
        Object value = row.getObject(column);
        if (value == null || value instanceof UUID || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Number number) {
            return Value.number(number);
        }
        if (value instanceof byte[] bytes) {
            return bounded(bytes, most);
        }
        return bounded(text(value instanceof String text ? text : row.getString(column)), most);
    }

    /** A driver would make an object of it, and so run code that the database chooses. Postgres has uuids among the others. */
    private boolean isObjectOfJava() {
        return type == Types.JAVA_OBJECT || type == Types.OTHER && !name.equals("uuid");
    }

    private static Object bounded(Object value, long most) {
        if (value instanceof String text) {
            return text.length() > most ? new Value.TooLarge(most) : text;
        }
        return value instanceof byte[] bytes && bytes.length > most ? new Value.TooLarge(most) : value;
    }

    private static Object text(Reader reader, long most) throws SQLException {
        if (reader == null) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        char[] buffer = new char[8192];
        try (reader) {
            for (int read = reader.read(buffer); read >= 0; read = reader.read(buffer)) {
                text.append(buffer, 0, read);
                if (text.length() > most) {
                    return new Value.TooLarge(most);
                }
            }
        } catch (IOException e) {
            throw new SQLException(e);
        }
        return text.toString();
    }

    private static Object bytes(InputStream stream, long most) throws SQLException {
        if (stream == null) {
            return null;
        }
        try (stream) {
            byte[] bytes = stream.readNBytes(Math.toIntExact(Math.min(most + 1, Integer.MAX_VALUE)));
            return bytes.length > most ? new Value.TooLarge(most) : bytes;
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }
}
