package dev.caravan.database;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Makes records of rows, as {@link Sql#records} describes. */
final class RecordRow implements Sql.Row<Object> {
    /** The values of components whose column is null; null for others. */
    private static final Map<Class<?>, Object> NULLS = Map.of(
            int.class,
            0,
            long.class,
            0L,
            double.class,
            0.0,
            boolean.class,
            false,
            List.class,
            List.of(),
            Optional.class,
            Optional.empty(),
            OptionalInt.class,
            OptionalInt.empty(),
            OptionalLong.class,
            OptionalLong.empty());

    /** @param reader returns null for null */
    private record Component(Class<?> type, Sql.Row<?> reader) {
        Object read(ResultSet row) throws SQLException {
            Object value = reader.read(row);
            if (value == null) {
                return NULLS.get(type);
            }
            if (type == OptionalInt.class) {
                return OptionalInt.of((Integer) value);
            }
            if (type == OptionalLong.class) {
                return OptionalLong.of((Long) value);
            }
            return type == Optional.class ? Optional.of(value) : value;
        }
    }

    private final Constructor<?> constructor;
    private final List<Component> components;

    /** @param prefix of the names of all columns */
    RecordRow(Class<?> type, String prefix) {
        RecordComponent[] all = type.getRecordComponents();
        components = Stream.of(all).map(each -> component(each, prefix)).toList();
        try {
            constructor = type.getDeclaredConstructor(
                    Stream.of(all).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e); // each record has it
        }
        constructor.setAccessible(true); // records may be private
    }

    private static Component component(RecordComponent component, String prefix) {
        Class<?> outer = component.getType();
        Class<?> type = outer == Optional.class
                ? (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
                : outer;
        Column named = component.getAnnotation(Column.class);
        if (!type.isRecord()) {
            String column = prefix + (named == null ? underscored(component.getName()) : named.value());
            return new Component(outer, row -> value(row, column, type));
        }
        RecordRow inner = new RecordRow(type, named == null ? prefix : prefix + named.value());
        return new Component(outer, row -> outer == Optional.class && inner.isNull(row) ? null : inner.read(row));
    }

    private static String underscored(String name) {
        return name.replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
    }

    private static Object value(ResultSet row, String column, Class<?> type) throws SQLException {
        if (type == String.class) {
            return row.getString(column);
        }
        Object value = row.getObject(column);
        if (value instanceof Number number) {
            return number(number, type);
        }
        if (value instanceof Timestamp) {
            return Sql.instant(row, column);
        }
        if (value instanceof Array array) {
            return List.of((Object[]) array.getArray());
        }
        return type.isEnum() && value != null ? constant(type, value.toString()) : value;
    }

    private static Object number(Number number, Class<?> type) {
        if (type == int.class || type == Integer.class || type == OptionalInt.class) {
            return number.intValue();
        }
        if (type == Duration.class) {
            return Duration.ofMillis(Math.round(number.doubleValue() * 1000));
        }
        return type == double.class || type == Double.class ? (Object) number.doubleValue() : number.longValue();
    }

    private static Object constant(Class<?> type, String text) {
        String name = text.toUpperCase(Locale.ROOT).replace(' ', '_').replace('-', '_');
        return Stream.of(type.getEnumConstants())
                .filter(each -> ((Enum<?>) each).name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(text));
    }

    private boolean isNull(ResultSet row) throws SQLException {
        return components.get(0).reader.read(row) == null;
    }

    @Override
    public Object read(ResultSet row) throws SQLException {
        Object[] values = new Object[components.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = components.get(i).read(row);
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw e.getTargetException() instanceof RuntimeException thrown ? thrown : new IllegalStateException(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
