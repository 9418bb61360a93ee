package dev.caravan.routes.context;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The text of a Java file, compiled in memory.
 *
 * @param className name of the class, with its package
 */
record JavaSource(String className, String text) {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");
    private static final Pattern NAME = Pattern.compile("([^/\\\\:]+)\\.java$");

    /** @param location ends with the name of the file, which is the name of its class */
    static JavaSource of(String location, String text) {
        Matcher name = NAME.matcher(location);
        if (!name.find()) {
            throw new IllegalArgumentException(location + " is not a Java file");
        }
        Matcher inPackage = PACKAGE.matcher(text);
        return new JavaSource((inPackage.find() ? inPackage.group(1) + "." : "") + name.group(1), text);
    }

    /**
     * @param loader finds the classes that the file uses
     * @throws IllegalArgumentException with the line of each error
     */
    Class<?> compiled(ClassLoader loader) throws IOException, ClassNotFoundException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("a Java route needs a JDK, and " + System.getProperty("java.home")
                    + " is a Java runtime without a compiler. Set JAVA_HOME to a JDK, or compile the class into a jar"
                    + " in lib and name it in camel.main.routesBuilderClasses");
        }
        var problems = new DiagnosticCollector<JavaFileObject>();
        try (var classes = new ClassesInMemory(compiler.getStandardFileManager(problems, Locale.ROOT, null))) {
            var options = List.of("-proc:none", "-nowarn", "-g", "-parameters", "-classpath", classPath(loader));
            boolean done = compiler.getTask(null, classes, problems, options, null, List.of(new Source(this)))
                    .call();
            if (!done) {
                throw new IllegalArgumentException("does not compile: " + errors(problems));
            }
            return classes.loader(loader).loadClass(className);
        }
    }

    private static String errors(DiagnosticCollector<JavaFileObject> problems) {
        return problems.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(problem -> "line " + problem.getLineNumber() + ": "
                        + problem.getMessage(Locale.ROOT).replaceAll("\\s*\\R\\s*", ", "))
                .collect(Collectors.joining("; "));
    }

    private static String classPath(ClassLoader loader) {
        List<String> entries = new ArrayList<>(List.of(System.getProperty("java.class.path")));
        if (loader instanceof URLClassLoader jars) {
            for (URL jar : jars.getURLs()) {
                entries.add(path(jar));
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String path(URL jar) {
        try {
            return new File(jar.toURI()).getPath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e); // made from the URI of a file
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(JavaSource source) {
            super(URI.create("memory:///" + source.className.replace('.', '/') + ".java"), Kind.SOURCE);
            text = source.text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Stores compiled classes in memory. */
    private static final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new ConcurrentHashMap<>();

        ClassesInMemory(JavaFileManager delegate) {
            super(delegate);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return classes.computeIfAbsent(name, any -> new ByteArrayOutputStream());
                }
            };
        }

        /** A loader that finds the compiled classes after those of its parent. */
        ClassLoader loader(ClassLoader parent) {
            return new ClassLoader(parent) {
                @Override
                protected Class<?> findClass(String name) throws ClassNotFoundException {
                    ByteArrayOutputStream written = classes.get(name);
                    if (written == null) {
                        throw new ClassNotFoundException(name);
                    }
                    byte[] code = written.toByteArray();
                    return defineClass(name, code, 0, code.length);
                }
            };
        }
    }
}
