package dev.caravan.routes.component;

import dev.caravan.base.settings.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The jars of the folder {@code caravan.lib}, and a class loader for them. Each class is looked up in the relay first, so a jar cannot
 * replace a class that the relay needs. The class path of the relay stays the same, and with it the archive of loaded classes.
 *
 * @param jars sorted by name; empty if the folder does not exist
 */
public record UserJars(Path folder, List<Path> jars) {
    /** The class loader for each set of jars, so that the check of the routes and the relay load each class once. */
    private static final Map<List<String>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

    /** The jars of the folder that is set in {@code caravan.lib}. */
    public static UserJars of(Settings settings) {
        return in(Path.of(settings.text("caravan.lib", "lib")));
    }

    /** The jars of a folder. */
    public static UserJars in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return new UserJars(folder, List.of());
        }
        try (var all = Files.list(folder)) {
            return new UserJars(
                    folder,
                    all.filter(UserJars::isJar)
                            .map(Path::toAbsolutePath)
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not list the folder " + folder, e);
        }
    }

    /** Excludes hidden files, such as an unfinished download and the entries of a mounted volume. */
    private static boolean isJar(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".jar") && !name.startsWith(".") && !Files.isDirectory(file);
    }

    /** The jars that cannot be used: reasons by file name. */
    public Map<String, String> problems() {
        Map<String, String> problems = new java.util.TreeMap<>();
        for (Path jar : jars) {
            JarProblem.of(jar).ifPresent(text -> problems.put(jar.getFileName().toString(), text));
        }
        return problems;
    }

    /** A loader that finds the classes of the relay and then those of the jars. Without jars it is the loader of the relay. */
    public ClassLoader classLoader() {
        ClassLoader relay = UserJars.class.getClassLoader();
        return jars.isEmpty()
                ? relay
                : LOADERS.computeIfAbsent(versions(), same -> {
                    var loader = new URLClassLoader("lib", urls(), relay);
                    JdbcDrivers.register(loader);
                    return loader;
                });
    }

    /**
     * Sets the context class loader of the current thread until the result is closed. Threads created meanwhile inherit it. Many libraries
     * use it to find classes, such as JDBC pools, JAXB and the client of Kafka.
     */
    public Use use() {
        Thread thread = Thread.currentThread();
        Optional<ClassLoader> before = Optional.ofNullable(thread.getContextClassLoader());
        thread.setContextClassLoader(classLoader());
        return () -> thread.setContextClassLoader(before.orElse(null));
    }

    /** Restores the previous context class loader when it is closed. */
    public interface Use extends AutoCloseable {
        @Override
        void close();
    }

    private List<String> versions() {
        List<String> versions = new ArrayList<>();
        try {
            for (Path jar : jars) {
                versions.add(jar + " " + Files.size(jar) + " " + Files.getLastModifiedTime(jar));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read a jar in " + folder, e);
        }
        return versions;
    }

    private URL[] urls() {
        return jars.stream().map(UserJars::url).toArray(URL[]::new);
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e); // the URI of a file is a URL
        }
    }
}
