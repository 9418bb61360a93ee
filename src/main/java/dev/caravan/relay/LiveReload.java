package dev.caravan.relay;

import dev.caravan.context.RouteFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads changed route files while the relay runs. Compares the content of the files every two seconds instead of waiting for events
 * of the file system, because a ConfigMap, a network file system and git-sync change files without an event that names them.
 * A state of the folder counts only if two looks in a row return it, so that a file is not loaded while it is being written.
 */
final class LiveReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveReload.class);
    private static final int SECONDS_BETWEEN_LOOKS = 2;
    /** Longer than a route needs to stop, with the default stop timeout. */
    static final Duration LAST_LOOK = Duration.ofSeconds(10);

    private final Path folder;
    private final LoadedFiles loaded;
    private final ChangedSettings settings;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "live-reload");
        thread.setDaemon(true);
        return thread;
    });

    private Map<String, String> lastSeen = Map.of();
    private Map<String, String> notUnderstood = Map.of();
    private final Set<String> reported = new HashSet<>();
    private String problem = "";

    LiveReload(Path folder, LoadedFiles loaded, ChangedSettings settings) {
        this.folder = folder;
        this.loaded = loaded;
        this.settings = settings;
    }

    void start() {
        timer.scheduleWithFixedDelay(this::attempt, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS, TimeUnit.SECONDS);
    }

    private void attempt() {
        try {
            look();
        } catch (RuntimeException e) { // would end the timer
            LOG.error("Could not compare the route files in {} with those that are loaded. This is retried", folder, e);
        }
    }

    /** Looks at the folder once; loads what has changed if the previous look saw the same. */
    synchronized void look() {
        Map<String, String> seen;
        try {
            seen = RouteFiles.in(folder);
            settings.look(); // before the routes, so that the log says why one of them fails
        } catch (IOException | UncheckedIOException e) {
            keep("could not be read (" + e + ")");
            return;
        }
        if (seen.isEmpty()) { // for example an unmounted volume
            keep("contains no route file");
            return;
        }
        problem = "";
        if (seen.equals(lastSeen)) {
            loaded.replace(seen);
        }
        lastSeen = seen;
        reportNotUnderstood();
    }

    /** Reports each file once, when two looks in a row have seen it: some programs write another file and rename it. */
    private void reportNotUnderstood() {
        Map<String, String> now;
        try {
            now = RouteFiles.notUnderstood(folder);
        } catch (IOException | UncheckedIOException e) {
            return; // a file was removed meanwhile
        }
        now.forEach((name, text) -> {
            if (notUnderstood.containsKey(name) && reported.add(name)) {
                LOG.error("The file {} in the routes folder {}", name, text);
            }
        });
        reported.retainAll(now.keySet());
        notUnderstood = now;
    }

    private void keep(String newProblem) {
        if (!newProblem.equals(problem)) {
            problem = newProblem;
            LOG.warn("The routes folder {} {}. No route is changed", folder, problem);
        }
    }

    /** Waits for a look in progress. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            if (!timer.awaitTermination(LAST_LOOK.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("A changed route file is still being loaded. The relay stops without waiting for it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
