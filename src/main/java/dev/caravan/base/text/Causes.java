package dev.caravan.base.text;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The chain of causes of an exception. */
public final class Causes {
    /** The longest chain that is searched: a chain may contain itself. */
    private static final int LONGEST_CHAIN = 100;

    private Causes() {}

    /** The exception, its cause, the cause of that, and so on to the root cause. */
    public static Stream<Throwable> of(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).limit(LONGEST_CHAIN);
    }

    /** Whether the chain has an end that can be found: false if it contains itself, or is longer than any that is searched. */
    public static boolean haveEnd(Throwable thrown) {
        try {
            return of(thrown).count() < LONGEST_CHAIN;
        } catch (RuntimeException e) { // of the method getCause of a user
            return false;
        }
    }

    /** The last exception of the chain: the exception itself when it has no cause. */
    public static Throwable root(Throwable thrown) {
        return of(thrown).reduce(thrown, (outer, inner) -> inner);
    }

    /** The first exception of this type in the chain; empty if there is none. */
    public static <T> Optional<T> first(Class<T> type, Throwable thrown) {
        return of(thrown).filter(type::isInstance).map(type::cast).findFirst();
    }
}
