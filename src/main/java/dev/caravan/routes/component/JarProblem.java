package dev.caravan.routes.component;

import dev.caravan.base.text.Sentence;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

/** Finds out why a jar cannot be used, before the start of a relay fails because a class is missing. */
final class JarProblem {
    private static final int MAGIC = 0xCAFEBABE;
    /** The class files of Java n have the version 44 + n. */
    private static final int CLASS_VERSION_OFFSET = 44;

    private JarProblem() {}

    /**
     * The problem of a jar; empty if it can be used. Reads one class: the classes of a jar are compiled for one version of Java, except for
     * those in {@code META-INF/versions}.
     */
    static Optional<String> of(Path jar) {
        if (!Files.isReadable(jar)) {
            return Optional.of(
                    Files.exists(jar)
                            ? "cannot be read by this user. Change its permissions"
                            : "is a link to a file that does not exist. Remove it");
        }
        try (JarFile file = new JarFile(jar.toFile(), false)) {
            Optional<JarEntry> first = file.stream().filter(JarProblem::isClass).findFirst();
            return first.isEmpty() ? Optional.empty() : forNewerJava(file, first.get());
        } catch (AccessDeniedException e) {
            return Optional.of("cannot be read by this user. Change its permissions");
        } catch (ZipException e) {
            return Optional.of("is not a jar, or is damaged (" + e.getMessage() + "). Copy it again");
        } catch (IOException e) {
            return Optional.of("cannot be read: " + Sentence.of(e.getMessage()) + " Copy it again");
        }
    }

    private static boolean isClass(JarEntry entry) {
        return entry.getName().endsWith(".class")
                && !entry.getName().startsWith("META-INF/")
                && !entry.getName().endsWith("module-info.class");
    }

    private static Optional<String> forNewerJava(JarFile file, JarEntry entry) throws IOException {
        try (var in = new DataInputStream(file.getInputStream(entry))) {
            if (in.readInt() != MAGIC) {
                return Optional.of("is damaged: " + entry.getName() + " is not a class. Copy it again");
            }
            in.readUnsignedShort(); // minor version
            int needed = in.readUnsignedShort() - CLASS_VERSION_OFFSET;
            int here = Runtime.version().feature();
            return needed <= here
                    ? Optional.empty()
                    : Optional.of("was compiled for Java " + needed + ", and this is Java " + here
                            + ". Run Caravan with a newer Java, or compile it for Java " + here);
        }
    }
}
