package dev.caravan.routes.context;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

/** Stores compiled classes in memory. */
final class ClassesInMemory extends ForwardingJavaFileManager<JavaFileManager> {
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
