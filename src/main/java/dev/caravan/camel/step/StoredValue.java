package dev.caravan.camel.step;

import dev.caravan.camel.FieldException;
import java.math.BigDecimal;
import java.sql.JDBCType;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;

/**
 * Converts a value to the type of a parameter of {@code sql-stored:}. Drivers would cut a number, or write an object as the text of its class.
 *
 * @param parameter as the route writes it
 * @param type one of {@link Types}; those of a database are left to its driver
 * @param scale null if the route names none
 */
record StoredValue(String parameter, int type, Integer scale) {
    /** A driver would write as many zeros. */
    private static final int MOST_ZEROS = 200_000;

    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
    private static final Pattern TIME = Pattern.compile("\\d{2}:\\d{2}:\\d{2}");

    /** @throws FieldException without the value, if the type has no such value */
    Object of(Object given, Exchange exchange) {
        if (given == null) {
            return null;
        }
        return switch (type) {
            case Types.TINYINT -> (int) whole(given, exchange, Byte.MIN_VALUE, 255); // unsigned in SQL Server
            case Types.SMALLINT -> (int) whole(given, exchange, Short.MIN_VALUE, Short.MAX_VALUE);
            case Types.INTEGER -> (int) whole(given, exchange, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case Types.BIGINT -> whole(given, exchange, Long.MIN_VALUE, Long.MAX_VALUE);
            case Types.REAL -> finite(given, number(given, exchange).floatValue());
            case Types.FLOAT, Types.DOUBLE ->
                finite(given, number(given, exchange).doubleValue());
            case Types.DECIMAL, Types.NUMERIC -> scaled(given, exchange);
            case Types.CHAR,
                    Types.VARCHAR,
                    Types.LONGVARCHAR,
                    Types.NCHAR,
                    Types.NVARCHAR,
                    Types.LONGNVARCHAR,
                    Types.CLOB,
                    Types.NCLOB,
                    Types.SQLXML -> text(given, exchange);
            case Types.BIT, Types.BOOLEAN, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> single(given);
            case Types.DATE, Types.TIME, Types.TIMESTAMP, Types.TIME_WITH_TIMEZONE, Types.TIMESTAMP_WITH_TIMEZONE ->
                existing(given);
            case Types.OTHER -> NamedParameters.sent(exchange, given);
            default -> given;
        };
    }

    private Object single(Object given) {
        boolean isArray = given.getClass().isArray() && !(given instanceof byte[]);
        if (given instanceof Map || given instanceof Collection || isArray) {
            throw refused("it is a list or an object");
        }
        return given;
    }

    /** Drivers would make 3 March of 31 February, and one in the morning of 25:00:00. */
    private Object existing(Object given) {
        if (given instanceof String text) {
            try {
                DAY.matcher(text).results().forEach(day -> LocalDate.parse(day.group()));
                TIME.matcher(text).results().forEach(time -> LocalTime.parse(time.group()));
            } catch (DateTimeParseException e) {
                throw refused("there is no such day or time");
            }
        }
        return single(given);
    }

    private Object text(Object given, Exchange exchange) {
        return BytesParameter.of(exchange, given) instanceof BytesParameter bytes ? bytes.text() : single(given);
    }

    private BigDecimal number(Object given, Exchange exchange) {
        Object value = text(given, exchange);
        if (value instanceof Boolean flag) {
            return flag ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        try {
            BigDecimal number = value instanceof BigDecimal exact
                    ? exact
                    : new BigDecimal(value.toString().strip());
            if (Math.abs((long) number.scale()) > MOST_ZEROS) {
                throw refused("it has too many digits");
            }
            return number;
        } catch (NumberFormatException e) {
            throw refused("it is no number");
        }
    }

    private long whole(Object given, Exchange exchange, long least, long most) {
        try {
            long number = number(given, exchange).longValueExact();
            if (number >= least && number <= most) {
                return number;
            }
        } catch (ArithmeticException e) {
            throw refused("it is too large, or has decimals");
        }
        throw refused("it is too large");
    }

    private Object finite(Object given, double nearest) {
        if (Double.isInfinite(nearest)) {
            throw refused("it is too large");
        }
        return given;
    }

    private BigDecimal scaled(Object given, Exchange exchange) {
        BigDecimal number = number(given, exchange);
        if (scale != null && number.stripTrailingZeros().scale() > scale) {
            throw refused("it would be rounded to " + scale + " decimals");
        }
        return number;
    }

    private FieldException refused(String why) {
        return new FieldException("The value of the parameter " + parameter + " cannot be stored as "
                + JDBCType.valueOf(type).getName() + " as it is: " + why
                + ". Convert it in the route, or write another type in the address of the step");
    }
}
