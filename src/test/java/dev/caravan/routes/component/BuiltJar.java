package dev.caravan.routes.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** A jar that a test makes from sources and other files. */
public final class BuiltJar {
    private final Map<String, String> sources = new TreeMap<>();
    private final Map<String, byte[]> files = new TreeMap<>();

    /** @param text the source of a public class in the package {@code shop} */
    public BuiltJar source(String name, String text) {
        sources.put("shop/" + name + ".java", "package shop;\n" + text);
        return this;
    }

    /**
     * A JDBC driver for URLs that begin with {@code jdbc:shelf:}, which refuses each connection.
     *
     * @param services the drivers that the jar announces
     */
    public BuiltJar shelfDriver(String services) {
        return source("ShelfDriver", """
                    public class ShelfDriver implements java.sql.Driver {
                        public java.sql.Connection connect(String url, java.util.Properties info) throws java.sql.SQLException {
                            if (!acceptsURL(url)) return null;
                            throw new java.sql.SQLException("the shelf is empty");
                        }
                        public boolean acceptsURL(String url) { return url.startsWith("jdbc:shelf:"); }
                        public java.sql.DriverPropertyInfo[] getPropertyInfo(String url, java.util.Properties info) { return new java.sql.DriverPropertyInfo[0]; }
                        public int getMajorVersion() { return 1; }
                        public int getMinorVersion() { return 0; }
                        public boolean jdbcCompliant() { return false; }
                        public java.util.logging.Logger getParentLogger() { return null; }
                    }
                """).file("META-INF/services/java.sql.Driver", services);
    }

    public BuiltJar file(String path, String text) {
        return file(path, text.getBytes(StandardCharsets.UTF_8));
    }

    BuiltJar file(String path, byte[] content) {
        files.put(path, content);
        return this;
    }

    public Path in(Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        compile();
        Path jar = folder.resolve(name);
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (var file : files.entrySet()) {
                out.putNextEntry(new JarEntry(file.getKey()));
                out.write(file.getValue());
            }
        }
        return jar;
    }

    private void compile() throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        Path work = Files.createTempDirectory("built-jar");
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "--release", "17", "-d"));
        arguments.add(work.resolve("classes").toString());
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
        for (var source : sources.entrySet()) {
            Path file = work.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        var problems = new StringWriter();
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> paths = arguments.subList(arguments.size() - sources.size(), arguments.size());
            boolean done = compiler.getTask(
                            problems,
                            manager,
                            null,
                            arguments.subList(0, arguments.size() - sources.size()),
                            null,
                            manager.getJavaFileObjects(paths.toArray(new String[0])))
                    .call();
            assertThat(done).as(problems.toString()).isTrue();
        }
        Path classes = work.resolve("classes");
        try (var all = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                files.put(classes.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
    }
}
