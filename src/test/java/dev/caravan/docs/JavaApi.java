package dev.caravan.docs;

import dev.caravan.camel.outbox.OutboxComponent;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Java classes that users may use, and their public constructors, methods and constants. */
final class JavaApi {
    /** Names for route files and their beans, what tests of routes use, and the publisher. Packages below these are internal. */
    static final Set<String> PACKAGES =
            Set.of("dev.caravan.camel", "dev.caravan.routes.destination", "dev.caravan.test", "dev.caravan.publisher");

    /** Classes for users in other packages. */
    private static final Set<Class<?>> CLASSES = Set.of(OutboxComponent.class);

    /** The package of each own class in a signature. */
    private static final Pattern OWN = Pattern.compile("\\b(dev\\.caravan(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    /** Public only because other packages of the program use them. */
    private static final Set<String> OF_THE_PROGRAM = Set.of(
            "KnownAnswers.PREFIX",
            "KnownAnswers.check",
            "MailAddress.asciiDomain",
            "MailAddress.isAscii",
            "MailAddress.isNamedAsAddress",
            "MailAddress.separates",
            "MailAddress.withAsciiDomain",
            "MessageBatch.PROPERTY",
            "SmtpFailure.answers",
            "SmtpFailure.replies");

    private JavaApi() {}

    /** @param folders of the sources of a package each */
    static Stream<String> of(String... folders) throws IOException {
        Stream<String> all = Stream.empty();
        for (String folder : folders) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                all = Stream.concat(
                        all,
                        files
                                .map(file -> file.getFileName().toString())
                                .filter(file -> file.endsWith(".java") && !file.equals("package-info.java"))
                                .map(file -> file.replace(".java", ""))
                                .map(name -> type(folder.replaceFirst("src/\\w+/java/", "")
                                                .replace('/', '.') + "." + name))
                                .flatMap(JavaApi::lines)
                                .toList()
                                .stream());
            }
        }
        return all;
    }

    static Stream<String> of(Class<?> type) {
        return lines(type);
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Stream<String> lines(Class<?> type) {
        if (!isForUsers(type)) {
            return Stream.empty();
        }
        String name = type.getName().replaceFirst(".*\\.", "").replace('$', '.');
        Stream<String> constants = Arrays.stream(type.getFields())
                .filter(field -> field.getDeclaringClass() == type)
                .map(field -> name + "." + field.getName())
                .filter(constant -> !OF_THE_PROGRAM.contains(constant));
        Stream<String> constructors = Arrays.stream(type.getConstructors())
                .filter(constructor -> !type.isRecord() && isForUsers(constructor)) // records are created by Caravan
                .map(constructor -> name + parameters(constructor));
        Stream<String> methods = Arrays.stream(type.getDeclaredMethods())
                .filter(method ->
                        Modifier.isPublic(method.getModifiers()) && !method.isBridge() && !method.isSynthetic())
                .filter(method -> !isOfEveryObject(method) && isForUsers(method))
                .filter(method -> !OF_THE_PROGRAM.contains(name + "." + method.getName()))
                .map(method -> name + "." + method.getName() + parameters(method) + " "
                        + method.getReturnType().getSimpleName());
        return Stream.of(
                        Stream.of("class " + type.getCanonicalName() + parent(type)),
                        constants,
                        constructors,
                        methods,
                        Arrays.stream(type.getDeclaredClasses()).flatMap(JavaApi::lines))
                .flatMap(lines -> lines);
    }

    /** Error handlers and Camel use a class as what it extends, too. */
    private static String parent(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return parent == null || Set.of(Object.class, Record.class, Enum.class).contains(parent)
                ? ""
                : " extends " + parent.getSimpleName();
    }

    static boolean isForUsers(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (PACKAGES.contains(type.getPackageName()) || CLASSES.contains(type));
    }

    /** Users cannot rely on a method with an internal class in its signature. */
    private static boolean isForUsers(Executable executable) {
        return OWN.matcher(executable
                        .toGenericString()
                        .replace(executable.getDeclaringClass().getName(), ""))
                .results()
                .map(name -> name.group(1))
                .allMatch(PACKAGES::contains);
    }

    private static boolean isOfEveryObject(Method method) {
        return Stream.of("equals", "hashCode", "toString").anyMatch(method.getName()::equals);
    }

    private static String parameters(Executable method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
