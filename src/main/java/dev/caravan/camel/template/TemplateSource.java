package dev.caravan.camel.template;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.WatchedFile;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;

/**
 * A template that a route contains, or names with {@code file:NAME} in the routes folder. A file whose name ends in {@code .mustache} is
 * a template in Mustache. A changed file is read again.
 */
public final class TemplateSource {
    private static final String FILE = "file:";

    private final Supplier<Template> current;

    private TemplateSource(Supplier<Template> current) {
        this.current = current;
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
        if (text.startsWith(FILE)) {
            String name = text.substring(FILE.length());
            return new TemplateSource(new WatchedFile<>(
                    folder.resolve(name), read -> Template.parse(withoutLastBreak(read), format, name), clock));
        }
        Template template = Template.parse(text, format);
        return new TemplateSource(() -> template);
    }

    /** Editors end a file with a line break, which an SMS or a subject does not need. */
    private static String withoutLastBreak(String text) {
        return text.replaceFirst("\\R\\z", "");
    }

    /** The current version. */
    public Template template() {
        return current.get();
    }
}
