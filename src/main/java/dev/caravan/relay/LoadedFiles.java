package dev.caravan.relay;

import dev.caravan.text.Causes;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.camel.CamelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route files that a running Camel context has loaded. A file that cannot be loaded does not affect the others, and leaves its
 * previous version running. Not thread-safe.
 */
final class LoadedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedFiles.class);

    private final CamelContext context;
    private final Path folder;
    /** The text of each file whose routes run. */
    private final Map<String, String> loaded;

    private Map<String, String> requested;

    /** @param loaded the files that the context has read at its start, by name */
    LoadedFiles(CamelContext context, Path folder, Map<String, String> loaded) {
        this.context = context;
        this.folder = folder;
        this.loaded = new TreeMap<>(loaded);
        requested = Map.copyOf(loaded);
    }

    /**
     * Stops the routes of files that were removed and restarts those of files that are new or changed. When a route configuration
     * changed, all routes are restarted. Does nothing when it gets the same files again; a file that could not be loaded is tried
     * again when any file has changed.
     *
     * @param files their texts by name
     */
    void replace(Map<String, String> files) {
        if (files.equals(requested)) {
            return;
        }
        requested = Map.copyOf(files);
        var removed = new TreeSet<>(loaded.keySet());
        removed.removeAll(files.keySet());
        var changed = new TreeMap<String, String>();
        boolean all = removed.stream().anyMatch(name -> file(name).configuresAll());
        for (var file : files.entrySet()) {
            if (!file.getValue().equals(loaded.get(file.getKey()))) {
                try {
                    all |= file(file.getKey()).configuresAll(file.getValue())
                            || file(file.getKey()).configuresAll();
                    changed.put(file.getKey(), file.getValue());
                } catch (Exception e) {
                    failed(file.getKey(), e);
                }
            }
        }
        if (all) {
            loaded.forEach(changed::putIfAbsent);
            changed.keySet().removeAll(removed);
        }
        removed.forEach(this::remove);
        changed.keySet().forEach(this::unload);
        changed.forEach(this::configure);
        changed.forEach(this::load);
    }

    private void remove(String name) {
        LOG.info(
                "{} was removed. Its routes stop: {}. Their subscriptions keep their progress",
                name,
                file(name).routes());
        unload(name);
        loaded.remove(name);
    }

    private void unload(String name) {
        try {
            file(name).unload();
        } catch (Exception e) {
            LOG.error("Could not stop the routes of {}: {}. Restart the relay", name, reason(e), e);
        }
    }

    private void configure(String name, String text) {
        try {
            file(name).loadConfigurations(text);
        } catch (Exception e) {
            failed(name, e);
        }
    }

    private void load(String name, String text) {
        try {
            file(name).loadRoutes(text);
            loaded.put(name, text);
            LOG.info("Loaded {}; its routes: {}", name, file(name).routes());
        } catch (Exception e) {
            unload(name);
            restore(name);
            failed(name, e);
        }
    }

    /** Starts the previous version of a file. */
    private void restore(String name) {
        String previous = loaded.remove(name);
        if (previous == null) {
            return;
        }
        try {
            file(name).loadConfigurations(previous);
            file(name).loadRoutes(previous);
            loaded.put(name, previous);
        } catch (Exception e) {
            LOG.error("Could not start the previous version of {} again: {}", name, reason(e));
            unload(name);
        }
    }

    private void failed(String name, Exception e) {
        LOG.error(
                "Could not load {}: {}. {}. Correct the file",
                name,
                reason(e),
                loaded.containsKey(name) ? "Its previous version continues" : "None of its routes run");
    }

    private static String reason(Exception e) {
        Throwable root = Causes.root(e);
        return root.getMessage() == null ? root.toString() : root.getMessage().strip();
    }

    private RouteFile file(String name) {
        return new RouteFile(context, folder, name);
    }
}
