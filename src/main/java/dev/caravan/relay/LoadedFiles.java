package dev.caravan.relay;

import dev.caravan.base.clock.Clock;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.DefinedNames;
import dev.caravan.routes.context.SharedNames;
import dev.caravan.routes.tryout.Lookups;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.RoutesBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route files that a running Camel context has loaded. If a file cannot be loaded, its previous version continues, and the other files
 * are not affected. Not thread-safe.
 */
final class LoadedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedFiles.class);

    private final CamelContext context;
    private final Path folder;
    private final Lookups lookups;
    /** The text of each file whose routes run. */
    private final Map<String, String> loaded;

    private final SharedNames names;
    private final FailedFiles failed;
    /** What each file defines that is loaded, or that is being loaded. */
    private final Map<String, DefinedNames> defined = new TreeMap<>();
    /** The files that are stopped and not started again. */
    private final Set<String> pending = new HashSet<>();

    private Map<String, String> requested;

    /** @param loaded the files that the context has read at its start, by name */
    LoadedFiles(CamelContext context, Path folder, Map<String, String> loaded, Lookups lookups, Clock clock) {
        this.context = context;
        this.folder = folder;
        this.lookups = lookups;
        this.loaded = new TreeMap<>(loaded);
        requested = Map.copyOf(loaded);
        loaded.forEach((name, text) -> defined.put(name, DefinedNames.in(name, text)));
        names = SharedNames.of(context, defined.values());
        failed = new FailedFiles(lookups, clock);
    }

    /**
     * Stops the routes of files that were removed and restarts those of files that are new or changed. When a route configuration
     * changed, all routes are restarted. A file that could not be loaded is tried again when any file has changed. If no file
     * has changed, only retries that are due are made.
     *
     * @param files their texts by name
     */
    void replace(Map<String, String> files) {
        boolean anyChange = !files.equals(requested);
        if (!anyChange && !failed.isDue()) {
            return;
        }
        requested = Map.copyOf(files);
        failed.attempted(anyChange);
        var removed = new TreeSet<>(loaded.keySet());
        removed.removeAll(files.keySet());
        var changed = new TreeMap<String, String>(BuiltInRoutes.LAST);
        failed.retain(files.keySet());
        boolean all = removed.stream().anyMatch(name -> file(name).configuresAll());
        defined.keySet().removeAll(removed);
        for (DefinedNames file : attempted(files, anyChange)) {
            String name = file.file();
            String text = files.get(name);
            try {
                requireOwn(file);
                all |= file(name).configuresAll(text) || file(name).configuresAll();
                changed.put(name, text);
                defined.put(name, file);
            } catch (Exception e) {
                failed(name, text, e, false);
            }
        }
        if (all) {
            loaded.forEach(changed::putIfAbsent);
            changed.keySet().removeAll(removed);
        }
        removed.forEach(this::remove);
        changed.keySet().forEach(this::unload);
        pending.addAll(changed.keySet());
        boolean stopsOthers = all;
        var parsed = new HashMap<String, Collection<RoutesBuilder>>();
        changed.forEach((name, text) -> configure(name, text, stopsOthers).ifPresent(each -> parsed.put(name, each)));
        changed.forEach((name, text) -> load(name, text, Optional.ofNullable(parsed.get(name)), stopsOthers));
    }

    /** The files to load. Those with a name that another file has until it is loaded again come last. */
    private List<DefinedNames> attempted(Map<String, String> files, boolean anyChange) {
        List<DefinedNames> attempted = new ArrayList<>();
        files.forEach((name, text) -> {
            if (text.equals(loaded.get(name))) {
                failed.remove(name);
            } else if (anyChange || failed.isRetried(name)) {
                attempted.add(DefinedNames.in(name, text));
            }
        });
        Set<String> last = attempted.stream()
                .filter(file -> !names.refused(file, defined.values()).isEmpty())
                .map(DefinedNames::file)
                .collect(Collectors.toSet());
        attempted.sort(Comparator.comparing(file -> last.contains(file.file())));
        return attempted;
    }

    private void requireOwn(DefinedNames file) {
        requireOwn(file, defined.values());
    }

    private void requireOwn(DefinedNames file, Collection<DefinedNames> others) {
        List<SharedNames.Refused> refused = names.refused(file, others);
        if (!refused.isEmpty()) {
            throw new IllegalStateException(
                    refused.stream().map(SharedNames.Refused::toString).collect(Collectors.joining("; ")));
        }
    }

    /** The names of the files that could not be loaded. */
    Set<String> failed() {
        return failed.names();
    }

    private void remove(String name) {
        LOG.info(
                "{} was removed. Its routes stop: {}. The progress of their subscriptions stays stored",
                name,
                file(name).routes());
        unload(name);
        loaded.remove(name);
    }

    private void unload(String name) {
        try {
            file(name).unload();
        } catch (Exception e) {
            LOG.error("Could not stop the routes of {}: {}. Restart the relay", name, lookups.reason(e));
        }
    }

    /** @return the parsed text; empty if it failed */
    private Optional<Collection<RoutesBuilder>> configure(String name, String text, boolean stopsOthers) {
        try {
            return Optional.of(file(name).loadConfigurations(text));
        } catch (Exception e) {
            failed(name, text, e, stopsOthers);
            return Optional.empty();
        }
    }

    private void load(String name, String text, Optional<Collection<RoutesBuilder>> parsed, boolean stopsOthers) {
        pending.remove(name);
        try {
            RouteFile file = file(name);
            requireOwn(defined.get(name)); // another file may continue with its previous version
            file.loadRoutes(text, parsed.isPresent() ? parsed.get() : file.loadConfigurations(text)); // fails again
            loaded.put(name, text);
            failed.remove(name);
            LOG.info("Loaded {}; its routes: {}", name, file(name).routes());
        } catch (Exception e) {
            unload(name);
            restore(name);
            failed(name, text, e, stopsOthers);
        }
    }

    /** Starts the previous version of a file, if there is one. */
    private void restore(String name) {
        String previous = loaded.remove(name);
        defined.remove(name);
        if (previous == null) {
            return;
        }
        try {
            RouteFile file = file(name);
            DefinedNames its = DefinedNames.in(name, previous);
            requireOwn(
                    its,
                    defined.values().stream()
                            .filter(other -> !pending.contains(other.file())) // those are refused when it is their turn
                            .toList());
            defined.put(name, its);
            file.loadRoutes(previous, file.loadConfigurations(previous));
            loaded.put(name, previous);
        } catch (Exception e) {
            LOG.error("Could not start the previous version of {} again: {}", name, lookups.reason(e));
            defined.remove(name);
            unload(name);
        }
    }

    private void failed(String name, String text, Exception e, boolean stopsOthers) {
        boolean runs = loaded.containsKey(name);
        failed.add(
                name, text, e, runs ? "Its previous version continues" : "None of its routes run", runs || stopsOthers);
    }

    private RouteFile file(String name) {
        return new RouteFile(context, folder, name);
    }
}
