package dev.caravan.camel.template;

import org.apache.camel.Expression;
import org.apache.camel.Predicate;
import org.apache.camel.support.ExpressionToPredicateAdapter;
import org.apache.camel.support.LanguageSupport;

/** A language of Camel whose expressions are templates of one format. */
public abstract class TemplateLanguage extends LanguageSupport {
    private final Format format;

    TemplateLanguage(Format format) {
        this.format = format;
    }

    @Override
    public Predicate createPredicate(String expression) {
        return ExpressionToPredicateAdapter.toPredicate(createExpression(expression));
    }

    @Override
    public Expression createExpression(String expression) {
        return new TemplateExpression(expression.strip(), format, source(expression));
    }

    /** @throws IllegalArgumentException if its file cannot be read or it is wrong */
    public final TemplateSource source(String expression) {
        return TemplateSource.of(expression.strip(), format, getCamelContext());
    }
}
