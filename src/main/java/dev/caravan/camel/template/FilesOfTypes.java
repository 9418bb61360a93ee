package dev.caravan.camel.template;

import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.settings.WatchedFile;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.WholeBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.Exchange;

/** One template file for each message type, such as {@code sms/${header.type}.txt}. Thread-safe. */
final class FilesOfTypes {
    private static final String TYPE = "${header.type}";

    /** Without a separator of folders, and without two dots in a row: the type of a row must not name another file. */
    private static final Pattern SAFE = Pattern.compile("(?=.{1,200}\\z)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

    private static final String SAFE_TEXT = "letters, digits, - and _, with single dots between them";

    private final Path folder;
    private final String before;
    private final String after;
    private final Function<String, WatchedFile<Template>> reader;
    private final Map<String, WatchedFile<Template>> files = new ConcurrentHashMap<>();

    /** @param reader reads a file of the folder; throws an IllegalArgumentException if that fails */
    FilesOfTypes(Path folder, String name, Function<String, WatchedFile<Template>> reader) {
        int type = name.indexOf(TYPE);
        if (type < 0 || name.replace(TYPE, "").contains("${") || name.indexOf(TYPE, type + 1) > 0) {
            throw new IllegalArgumentException(
                    "the name of a file can contain only " + TYPE + ", and only once, got file:" + name);
        }
        this.folder = folder;
        this.reader = reader;
        before = name.substring(0, type);
        after = name.substring(type + TYPE.length());
    }

    static boolean isPattern(String name) {
        return name.contains("${");
    }

    /** @throws FieldException if there is no file for the type of the message */
    Template template(Exchange exchange) {
        WholeBatch.header(exchange, OutboxConstants.TYPE);
        String type = exchange.getMessage().getHeader(OutboxConstants.TYPE, "", String.class);
        if (!isSafe(type)) {
            throw new FieldException(
                    "The header type of the message cannot be part of the name of a template file (" + SAFE_TEXT + ")");
        }
        WatchedFile<Template> file = files.get(type);
        if (file == null && !exists(type)) {
            throw new FieldException("There is no template file " + name(type) + " for messages of this type");
        }
        return files.computeIfAbsent(type, each -> reader.apply(name(each))).get();
    }

    /** What prevents messages of these types from being sent; at least one file must match a pattern with a wildcard. */
    List<String> problems(String types) {
        return TypePatterns.each(types).distinct().flatMap(this::problemsOf).toList();
    }

    private Stream<String> problemsOf(String pattern) {
        if (pattern.contains("*")) {
            List<String> matching =
                    existing().filter(type -> TypePatterns.match(pattern, type)).toList();
            return matching.isEmpty()
                    ? Stream.of("there is no template file " + name(pattern))
                    : matching.stream().flatMap(this::invalid);
        } else if (!isSafe(pattern)) {
            return Stream.of(
                    "the type " + pattern + " cannot be part of the name of a template file (" + SAFE_TEXT + ")");
        }
        return exists(pattern) ? invalid(pattern) : Stream.of("there is no template file " + name(pattern));
    }

    private Stream<String> invalid(String type) {
        try {
            reader.apply(name(type));
            return Stream.empty();
        } catch (IllegalArgumentException e) {
            return Stream.of(e.getMessage());
        }
    }

    /** The types that have a file. */
    private Stream<String> existing() {
        int file = before.lastIndexOf('/') + 1;
        String begin = before.substring(file);
        String end = after.replaceFirst("/.*", "");
        try (Stream<Path> all = Files.list(folder.resolve(before.substring(0, file)))) {
            return all
                    .map(each -> each.getFileName().toString())
                    .filter(name -> name.length() > begin.length() + end.length()
                            && name.startsWith(begin)
                            && name.endsWith(end))
                    .map(name -> name.substring(begin.length(), name.length() - end.length()))
                    .filter(type -> isSafe(type) && exists(type))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private boolean exists(String type) {
        return Files.isRegularFile(folder.resolve(name(type)));
    }

    private String name(String type) {
        return before + type + after;
    }

    private static boolean isSafe(String type) {
        return SAFE.matcher(type).matches();
    }
}
