package dev.caravan.camel.template;

import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.support.ExpressionAdapter;

/** A template as an expression of Camel. */
public final class TemplateExpression extends ExpressionAdapter {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\\\\\$\\{|\\$\\{[^}]*}");

    private final String text;
    private final Format format;
    private final TemplateSource source;

    TemplateExpression(String text, Format format, TemplateSource source) {
        this.text = text;
        this.format = format;
        this.source = source;
    }

    /**
     * The same text in the language simple, without the names of the values: {@code ${''}} is a value that may be empty. Empty if it is no text, or in a
     * file.
     */
    public String inSimple() {
        return format != Format.TEXT || TemplateSource.isFile(text)
                ? ""
                : PLACEHOLDER.matcher(text).replaceAll(each -> each.group().endsWith(":}") ? "\\${''}" : "\\${value}");
    }

    @Override
    public Object evaluate(Exchange exchange) {
        return source.text(exchange);
    }

    @Override
    public String toString() {
        return text;
    }
}
