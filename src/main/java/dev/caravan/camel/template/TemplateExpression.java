package dev.caravan.camel.template;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
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

    /** The text with each placeholder changed; empty if it is no text, or in a file. */
    public String with(UnaryOperator<String> placeholder) {
        return format != Format.TEXT || TemplateSource.isFile(text)
                ? ""
                : PLACEHOLDER
                        .matcher(text)
                        .replaceAll(each -> Matcher.quoteReplacement(
                                each.group().startsWith("\\") ? each.group() : placeholder.apply(each.group())));
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
