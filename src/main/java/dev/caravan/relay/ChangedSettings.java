package dev.caravan.relay;

import dev.caravan.routes.context.RouteFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns when settings files in the routes folder differ from those at the start of the relay. A running relay loads changed route files,
 * but not changed settings: a new route would deliver with old settings, or with none. Not thread-safe.
 */
final class ChangedSettings {
    private static final Logger LOG = LoggerFactory.getLogger(ChangedSettings.class);

    private final Path folder;
    private final Map<String, String> used;
    private Map<String, String> lastSeen;
    private Map<String, String> reported;

    /** Reads the files at the start. */
    static ChangedSettings since(Path folder) throws IOException {
        return new ChangedSettings(folder, RouteFiles.settings(folder));
    }

    private ChangedSettings(Path folder, Map<String, String> used) {
        this.folder = folder;
        this.used = used;
        lastSeen = used;
        reported = used;
    }

    /** Reads the files. Warns once about each change, when it has been seen by two calls in a row. */
    void look() throws IOException {
        Map<String, String> seen = RouteFiles.settings(folder);
        if (seen.equals(lastSeen) && !seen.equals(reported)) {
            reported = seen;
            warn(seen);
        }
        lastSeen = seen;
    }

    private void warn(Map<String, String> seen) {
        String changed = Stream.concat(seen.keySet().stream(), used.keySet().stream())
                .filter(name -> !Objects.equals(seen.get(name), used.get(name)))
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(", "));
        if (!changed.isEmpty()) {
            LOG.warn(
                    "Settings in the routes folder have changed: {}. Settings are read only at start, so routes use the previous values, and a new setting is missing. Restart the relay",
                    changed);
        }
    }
}
