package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import com.samskivert.mustache.MustacheParseException;
import dev.caravan.camel.FieldException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.camel.Exchange;

/**
 * A template in Mustache, for lists and conditions. Names are those of {@link Placeholder}, and values are written as in other templates:
 * {@code {{{name}}}} does not avoid the escaping. A template reads no other file and calls no method of a Java object.
 */
final class MustacheTemplate implements Template {
    /** What the library would take silently as text, or what this class does not offer. A comment is skipped. */
    private static final Pattern NOT_OFFERED = Pattern.compile(
            "\\{\\{!.*?}}|(?<escape>(?<!\\\\)(?:\\\\\\\\)*\\\\(?=\\{\\{))|\\{\\{\\s*(?:(?<raw>[{&])|(?<file>[><$])|(?<other>=)|(?<empty>[#^/]?\\s*}}))",
            Pattern.DOTALL);

    private static final Pattern LINE_OF_LIBRARY =
            Pattern.compile("(?<reason>.*) @ line (?<line>\\d+)", Pattern.DOTALL);
    /** The position in a list, which the library knows. */
    private static final Set<String> OF_LIBRARY = Set.of("-first", "-last", "-index", ".", "this");

    /** Passes a value on to {@link Output}, which escapes it. */
    private static final Mustache.Escaper AS_IT_IS = new Mustache.Escaper() {
        @Override
        public String escape(String text) {
            return text;
        }

        @Override
        public CharSequence escape(CharSequence value) {
            return value;
        }
    };

    private final com.samskivert.mustache.Template template;
    private final Format format;

    private MustacheTemplate(com.samskivert.mustache.Template template, Format format) {
        this.template = template;
        this.format = format;
    }

    /** @throws IllegalArgumentException with the line of the error */
    static Template parse(String text, Format format) {
        requireOffered(text, format);
        format.requireSafe(text);
        Set<String> mayBeMissing = new HashSet<>();
        com.samskivert.mustache.Template template = compiled(text, new Values(mayBeMissing));
        template.visit(new Tags(text, mayBeMissing));
        return new MustacheTemplate(template, format);
    }

    private static void requireOffered(String text, Format format) {
        Matcher found = NOT_OFFERED.matcher(text);
        while (found.find()) {
            if (found.group("raw") != null && format != Format.TEXT) {
                throw FieldTemplate.wrong(
                        text,
                        found.start(),
                        "{{{name}}} and {{&name}} would write a value as it is, and it could change the " + format
                                + " around it. Write {{name}}"
                                + (format.isJson() ? ", and a space between { and {{" : ""));
            } else if (found.group("escape") != null && format.isJson()) {
                throw FieldTemplate.wrong(text, found.start(), "\\ before {{ would change the value after it");
            } else if (found.group("file") != null) {
                throw FieldTemplate.wrong(
                        text, found.start(), "a template cannot use another one ({{>name}}, {{<name}}, {{$name}})");
            } else if (found.group("other") != null) {
                throw FieldTemplate.wrong(text, found.start(), "the delimiters {{ and }} cannot be changed");
            } else if (found.group("empty") != null) {
                throw FieldTemplate.wrong(text, found.start(), "{{}} has no name");
            }
        }
    }

    private static com.samskivert.mustache.Template compiled(String text, Values values) {
        try {
            return Mustache.compiler()
                    .withEscaper(AS_IT_IS)
                    .withFormatter(Found::of)
                    .withCollector(values)
                    .compile(text);
        } catch (MustacheParseException e) {
            Matcher parts = LINE_OF_LIBRARY.matcher(e.getMessage());
            throw new IllegalArgumentException(
                    parts.matches() ? "line " + parts.group("line") + ": " + parts.group("reason") : e.getMessage());
        }
    }

    @Override
    public String text(Exchange exchange) {
        Output output = new Output(format);
        try {
            template.execute(Scope.of(exchange), output);
        } catch (MustacheException e) { // the library wraps what a name throws
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        return output.text();
    }

    /** The value of a name where it is used. It is a sequence of characters only for the library, which passes it to {@link Output}. */
    record Found(Placeholder name, Scope scope, JsonNode value) implements CharSequence {
        static Found of(Object value) {
            if (value instanceof Found found) {
                return found;
            } else if (value instanceof Scope scope) {
                return new Found(Placeholder.THIS, scope, scope.value());
            }
            return new Found(Placeholder.THIS, null, Payload.EXACT.valueToTree(value)); // true, false and -index
        }

        /** @throws FieldException if it is missing */
        JsonNode present() {
            return name.present(value, scope);
        }

        String json() {
            return name.json(present(), scope);
        }

        @Override
        public String toString() {
            return name.text(present(), scope);
        }

        @Override
        public int length() {
            return toString().length();
        }

        @Override
        public char charAt(int index) {
            return toString().charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return toString().subSequence(start, end);
        }
    }

    /** Finds the values of names and the elements of lists for the library. */
    private record Values(Set<String> mayBeMissing) implements Mustache.Collector {
        @Override
        public Mustache.VariableFetcher createFetcher(Object context, String name) {
            Placeholder placeholder = Placeholder.parse(name);
            return (place, again) -> found(
                    placeholder,
                    place instanceof Found outer
                            ? outer.scope.element(outer.name.name(), -1, outer.value)
                            : (Scope) place);
        }

        private static Object found(Placeholder name, Scope scope) {
            JsonNode value = name.valueOrMissing(scope);
            return value.isBoolean() ? (Object) value.booleanValue() : new Found(name, scope, value);
        }

        @Override
        public <K, V> Map<K, V> createFetcherCache() {
            return new ConcurrentHashMap<>();
        }

        /** The elements of a list; none for null and an empty text; null for another value, which the library uses as it is. */
        @Override
        public Iterator<?> toIterator(Object value) {
            if (value instanceof Boolean) {
                return null;
            }
            Found found = Found.of(value);
            if (found.value.isMissingNode()) {
                requireOptional(found);
            }
            if (found.value.isArray()) {
                return IntStream.range(0, found.value.size())
                        .mapToObj(i -> found.scope.element(found.name.name(), i, found.value.get(i)))
                        .iterator();
            }
            boolean nothing = Payload.isAbsent(found.value)
                    || found.value.isTextual() && found.value.textValue().isEmpty();
            return nothing ? Collections.emptyIterator() : null;
        }

        private void requireOptional(Found found) {
            String name = found.name.name();
            if (!mayBeMissing.contains(name)) {
                throw new FieldException(found.name.in(found.scope) + " is missing. If it may be, say with {{^" + name
                        + "}}…{{/" + name + "}} in the template what to write then");
            }
        }
    }

    /** Checks the names of a template, and notes which have an inverted section. */
    private record Tags(String text, Set<String> mayBeMissing) implements Mustache.Visitor {
        @Override
        public void visitText(String literal) {
            if (literal.contains("{{")) {
                throw FieldTemplate.wrong(text, text.indexOf(literal) + literal.indexOf("{{"), "{{ has no }} after it");
            }
        }

        @Override
        public void visitVariable(String name) {
            if (OF_LIBRARY.contains(name)) {
                return;
            }
            try {
                Placeholder.parse(name);
            } catch (IllegalArgumentException e) {
                throw wrong(name, e.getMessage());
            }
        }

        private IllegalArgumentException wrong(String name, String reason) {
            Matcher tag =
                    Pattern.compile("\\{\\{[#^]?\\s*" + Pattern.quote(name)).matcher(text);
            return FieldTemplate.wrong(text, tag.find() ? tag.start() : 0, reason);
        }

        @Override
        public boolean visitSection(String name) {
            visitVariable(name);
            if (name.equals("-index")) {
                throw wrong(name, "-index is a number and has no section");
            }
            return true;
        }

        @Override
        public boolean visitInvertedSection(String name) {
            mayBeMissing.add(name);
            return visitSection(name);
        }

        @Override
        public boolean visitInclude(String name) {
            throw new IllegalArgumentException("a template cannot use another one"); // found before
        }
    }
}
