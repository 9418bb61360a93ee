package dev.caravan.relay;

import dev.caravan.base.clock.Timers;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.FilesNotLoaded;
import dev.caravan.routes.context.RouteFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Loads changed route files while the relay runs. Compares the content of the files every two seconds instead of waiting for events
 * of the file system, because a ConfigMap, a network file system and git-sync change files without an event that names them.
 * Loads a change only when two looks in a row have read the same files, so that a file is not loaded while it is being written.
 */
final class LiveReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveReload.class);
    private static final int SECONDS_BETWEEN_LOOKS = 2;
    /** The maximum wait for a look in progress: longer than a route needs to stop, with the default stop timeout. */
    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final Path folder;
    private final LoadedFiles loaded;
    private final ChangedSettings settings;
    private final FilesNotLoaded notLoaded;
    private final ScheduledExecutorService timer = Timers.daemons("live-reload", 1);

    private Map<String, String> lastSeen = Map.of();
    /** Those that were seen last, and the built-in ones. */
    private Map<String, String> files = Map.of();

    private Map<String, String> unrecognized = Map.of();
    private final Set<String> reported = new HashSet<>();
    private String problem = "";

    LiveReload(Path folder, LoadedFiles loaded, ChangedSettings settings, FilesNotLoaded notLoaded) {
        this.folder = folder;
        this.loaded = loaded;
        this.settings = settings;
        this.notLoaded = notLoaded;
    }

    /** Starts a reload that reads the folder until it is closed. */
    static LiveReload start(Path folder, LoadedFiles loaded, ChangedSettings settings, FilesNotLoaded notLoaded) {
        var reload = new LiveReload(folder, loaded, settings, notLoaded);
        reload.timer.scheduleWithFixedDelay(
                reload::attempt, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS, TimeUnit.SECONDS);
        return reload;
    }

    private void attempt() {
        try {
            look();
        } catch (RuntimeException e) { // would end the timer
            LOG.error("Could not compare the route files in {} with those that are loaded. This is retried", folder, e);
        }
    }

    /** Reads the folder once. Loads what has changed if the previous look has read the same files. */
    synchronized void look() {
        Map<String, String> seen;
        try {
            seen = RouteFiles.in(folder);
            settings.look(); // before the routes, so that the log says why one of them fails
        } catch (IOException | UncheckedIOException e) {
            warnOnce("could not be read (" + e + ")");
            return;
        }
        if (seen.isEmpty()) { // for example an unmounted volume
            warnOnce("contains no route file");
            return;
        }
        problem = "";
        if (seen.equals(lastSeen)) {
            loaded.replace(files);
        } else {
            files = BuiltInRoutes.with(seen);
        }
        lastSeen = seen;
        reportUnrecognized();
        var names = new HashSet<>(loaded.failed());
        reported.stream().filter(RouteFiles::resemblesRoute).forEach(names::add);
        notLoaded.set(names);
    }

    /** Reports each file once, when two looks in a row have found it: some programs write a temporary file and rename it. */
    private void reportUnrecognized() {
        Map<String, String> now;
        try {
            now = RouteFiles.unrecognized(folder);
        } catch (IOException | UncheckedIOException e) {
            return; // a file was removed meanwhile
        }
        now.forEach((name, text) -> {
            if (unrecognized.containsKey(name) && reported.add(name)) {
                report(name, text);
            }
        });
        reported.retainAll(now.keySet());
        unrecognized = now;
    }

    /** A file that resembles a route is an error, because its messages are not delivered. */
    static void report(String name, String text) {
        LOG.atLevel(RouteFiles.resemblesRoute(name) ? Level.ERROR : Level.WARN)
                .log("The file {} in the routes folder {}", name, text);
    }

    private void warnOnce(String newProblem) {
        if (!newProblem.equals(problem)) {
            problem = newProblem;
            LOG.warn("The routes folder {} {}. No route is changed", folder, problem);
        }
    }

    /** Waits for a look in progress, but not longer than the timeout. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            if (!timer.awaitTermination(CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("A changed route file is still being loaded. The relay stops without waiting for it");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
