package dev.caravan.docs;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The public Java classes of a package, and their public methods and constants. */
final class JavaApi {
    private static final Set<String> NOT_FOR_USERS = Set.of("package-info", "Answers", "Recorded");

    private JavaApi() {}

    /** @param folders of the sources of a package each */
    static Stream<String> of(String... folders) throws IOException {
        Stream<String> all = Stream.empty();
        for (String folder : folders) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                all = Stream.concat(
                        all,
                        files
                                .map(file -> file.getFileName().toString().replace(".java", ""))
                                .filter(name -> !NOT_FOR_USERS.contains(name))
                                .map(name -> type(folder.replaceFirst("src/\\w+/java/", "")
                                                .replace('/', '.') + "." + name))
                                .flatMap(JavaApi::lines)
                                .toList()
                                .stream());
            }
        }
        return all;
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Stream<String> lines(Class<?> type) {
        if (!Modifier.isPublic(type.getModifiers())) {
            return Stream.empty();
        }
        String name = type.getName().replaceFirst(".*\\.", "").replace('$', '.');
        Stream<String> constants = Arrays.stream(type.getFields())
                .filter(field -> field.getDeclaringClass() == type)
                .map(field -> name + "." + field.getName());
        Stream<String> methods = Arrays.stream(type.getDeclaredMethods())
                .filter(method ->
                        Modifier.isPublic(method.getModifiers()) && !method.isBridge() && !method.isSynthetic())
                .filter(method -> !isOfEveryObject(method))
                .map(method -> name + "." + method.getName() + parameters(method) + " "
                        + method.getReturnType().getSimpleName());
        return Stream.of(
                        constants,
                        methods,
                        Arrays.stream(type.getDeclaredClasses()).flatMap(JavaApi::lines))
                .flatMap(lines -> lines);
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
