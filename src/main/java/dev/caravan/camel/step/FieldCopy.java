package dev.caravan.camel.step;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Copies objects of libraries that have neither a copy constructor nor setters for everything. */
public final class FieldCopy {
    /** The fields of a class: an endpoint of HTTP is copied for each message with a computed address. */
    private static final ClassValue<List<Field>> COPIED = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            List<Field> fields = new ArrayList<>();
            for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
                fields.addAll(List.of(each.getDeclaredFields()));
            }
            fields.removeIf(
                    field -> Modifier.isStatic(field.getModifiers()) || Lock.class.isAssignableFrom(field.getType()));
            fields.forEach(field -> field.setAccessible(true));
            return fields;
        }
    };

    private FieldCopy() {}

    /**
     * Copies the values of all fields but locks.
     *
     * @param type the class that declares the fields; those of its superclasses are copied too
     */
    public static <T> void copy(Class<? super T> type, T from, T to) {
        for (Field field : COPIED.get(type)) {
            set(field, to, value(field, from));
        }
    }

    /** As {@link #copy}, but changes of a list or map of the copy do not change the original. */
    public static <T> void copyWithLists(Class<? super T> type, T from, T to) {
        copy(type, from, to);
        for (Field field : COPIED.get(type)) {
            Object value = value(field, from);
            if (value instanceof List<?> list) {
                set(field, to, new LinkedList<>(list));
            } else if (value instanceof LinkedHashMap<?, ?> map) {
                set(field, to, new LinkedHashMap<>(map));
            }
        }
    }

    /**
     * The value of a field.
     *
     * @throws IllegalStateException if this version of the library has no such field
     */
    public static <T> T value(Class<?> declaring, String name, Object of, Class<T> type) {
        return type.cast(value(field(declaring, name), of));
    }

    /**
     * Sets a field.
     *
     * @throws IllegalStateException if this version of the library has no such field
     */
    public static void set(Class<?> declaring, String name, Object of, Object value) {
        set(field(declaring, name), of, value);
    }

    private static Field field(Class<?> declaring, String name) {
        try {
            Field field = declaring.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(
                    "This version of the library has no field " + name + " in " + declaring.getName(), e);
        }
    }

    private static Object value(Field field, Object of) {
        try {
            return field.get(of);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // accessible
        }
    }

    private static void set(Field field, Object of, Object value) {
        try {
            field.set(of, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // accessible
        }
    }
}
