package dev.caravan.camel.template;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.WatchedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;

/**
 * A template that a route contains, or names with {@code file:NAME} in the routes folder. With {@code ${header.type}} in the name, each
 * message type has a file. A file that ends in {@code .mustache} is a template in Mustache. A changed file is read again.
 */
public final class TemplateSource {
    private static final String FILE = "file:";

    private final Function<Exchange, Template> current;
    private final Function<String, List<String>> problems;

    private TemplateSource(Function<Exchange, Template> current, Function<String, List<String>> problems) {
        this.current = current;
        this.problems = problems;
    }

    /**
     * Reads a template.
     *
     * @param text the template itself, or {@code file:NAME}
     * @throws IllegalArgumentException if the file cannot be read or the template is wrong
     */
    public static TemplateSource of(String text, Format format, CamelContext context) {
        Path folder = Path.of(context.resolvePropertyPlaceholders("{{caravan.routes:routes}}"));
        return of(text, format, folder, Clock.SYSTEM);
    }

    static TemplateSource of(String text, Format format, Path folder, Clock clock) {
        if (!isFile(text)) {
            Template template = Template.parse(text, format);
            return new TemplateSource(exchange -> template, types -> List.of());
        }
        String name = text.substring(FILE.length());
        Function<String, WatchedFile<Template>> reader = file ->
                new WatchedFile<>(folder.resolve(file), read -> Template.parse(content(read), format, file), clock);
        if (FilesOfTypes.isPattern(name)) {
            FilesOfTypes files = new FilesOfTypes(folder, name, reader);
            return new TemplateSource(files::template, files::problems);
        }
        WatchedFile<Template> file = reader.apply(name);
        return new TemplateSource(exchange -> file.get(), types -> List.of());
    }

    static boolean isFile(String text) {
        return text.startsWith(FILE);
    }

    /**
     * Editors end the last line of a file with a line break, which is not part of a subject or an SMS. A file that is being replaced is
     * empty for a moment, and an empty message to a customer is never meant.
     */
    private static String content(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it is empty");
        }
        return text.replaceFirst("\\R\\z", "");
    }

    /**
     * The text for a message.
     *
     * @throws dev.caravan.camel.FieldException if the message lacks a value, or its type has no file
     */
    public String text(Exchange exchange) {
        return current.apply(exchange).text(exchange);
    }

    /** The files that are missing or wrong for messages of these types; empty if the template does not depend on the type. */
    public List<String> problems(String types) {
        return problems.apply(types);
    }
}
