package dev.caravan.routes.context;

import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.camel.CamelContext;

/** The names of the files in the routes folder whose current content does not run, because it could not be loaded. Thread-safe. */
public final class FilesNotLoaded {
    private volatile SortedSet<String> names = Collections.emptySortedSet();

    /** Those of the relay that has bound an instance of this class to the context; none if there is no instance. */
    public static FilesNotLoaded of(CamelContext context) {
        return context.getRegistry().findByType(FilesNotLoaded.class).stream()
                .findFirst()
                .orElseGet(FilesNotLoaded::new);
    }

    /** The names at this moment, sorted. */
    public SortedSet<String> names() {
        return names;
    }

    public void set(Set<String> newNames) {
        names = Collections.unmodifiableSortedSet(new TreeSet<>(newNames));
    }
}
