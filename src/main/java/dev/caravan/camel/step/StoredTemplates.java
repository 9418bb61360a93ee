package dev.caravan.camel.step;

import java.io.StringReader;
import org.apache.camel.Exchange;
import org.apache.camel.component.sql.stored.template.TemplateParser;
import org.apache.camel.component.sql.stored.template.ast.InOutParameter;
import org.apache.camel.component.sql.stored.template.ast.InParameter;
import org.apache.camel.component.sql.stored.template.ast.ParseRuntimeException;
import org.apache.camel.component.sql.stored.template.ast.Template;
import org.apache.camel.component.sql.stored.template.ast.ValueExtractor;
import org.apache.camel.component.sql.stored.template.generated.ParseException;
import org.apache.camel.component.sql.stored.template.generated.SSPTParser;
import org.apache.camel.component.sql.stored.template.generated.SSPTParserConstants;
import org.apache.camel.component.sql.stored.template.generated.Token;
import org.apache.camel.spi.ClassResolver;

/** Reads what {@code sql-stored:} calls, with parameters that keep each value or fail. */
final class StoredTemplates extends TemplateParser {
    private final ClassResolver classes;
    private final boolean batch;

    /** @param batch whether each element of the body is a call */
    StoredTemplates(ClassResolver classes, boolean batch) {
        super(classes);
        this.classes = classes;
        this.batch = batch;
    }

    @Override
    public Template parseTemplate(String text) {
        SSPTParser parser = new SSPTParser(new StringReader(text), classes);
        Token source = parser.token;
        try {
            Template parsed = parser.parse();
            Template exact = new Template();
            exact.setProcedureName(parsed.getProcedureName());
            for (Object parameter : parsed.getParameterList()) {
                if (parameter instanceof InParameter in) {
                    source = nextSource(source);
                    exact.addParameter(new ExactIn(in, source, batch));
                } else if (parameter instanceof InOutParameter inOut) {
                    source = nextSource(source);
                    exact.addParameter(new ExactInOut(inOut, source, batch));
                } else {
                    exact.addParameter(parameter);
                }
            }
            return exact;
        } catch (ParseException e) {
            throw new ParseRuntimeException(e);
        }
    }

    private static Token nextSource(Token last) {
        Token next = last.next;
        while (!isName(next) && next.kind != SSPTParserConstants.SIMPLE_EXP_TOKEN) {
            next = next.next;
        }
        return next;
    }

    private static boolean isName(Token source) {
        return source.kind == SSPTParserConstants.PARAMETER_POS_TOKEN;
    }

    private static ValueExtractor exact(ValueExtractor original, Token source, StoredValue target, boolean batch) {
        String name = source.image.substring(isName(source) ? 2 : 0);
        boolean isField = isName(source) && !name.startsWith("$");
        return (Exchange exchange, Object value) -> {
            if (batch) {
                NamedParameters.requireElement(value);
            }
            if (isField) {
                NamedParameters.requireValue(name, exchange, value);
            }
            return target.of(original.eval(exchange, value), exchange);
        };
    }

    private static final class ExactIn extends InParameter {
        private final ValueExtractor exact;

        private ExactIn(InParameter in, Token source, boolean batch) {
            super(in.getName(), in.getSqlType(), source, in.getScale(), in.getTypeName());
            exact = exact(
                    in.getValueExtractor(),
                    source,
                    new StoredValue(source.image, in.getSqlType(), in.getScale()),
                    batch);
        }

        @Override
        public ValueExtractor getValueExtractor() {
            return exact;
        }
    }

    private static final class ExactInOut extends InOutParameter {
        private final ValueExtractor exact;

        private ExactInOut(InOutParameter inOut, Token source, boolean batch) {
            super(inOut.getSqlType(), source, inOut.getScale(), inOut.getTypeName(), inOut.getOutValueMapKey());
            exact = exact(
                    inOut.getValueExtractor(),
                    source,
                    new StoredValue(source.image, inOut.getSqlType(), inOut.getScale()),
                    batch);
        }

        @Override
        public ValueExtractor getValueExtractor() {
            return exact;
        }
    }
}
