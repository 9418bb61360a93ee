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
    private static final String EXTRACTOR = "valueExtractor";

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
            Template template = parser.parse();
            for (Object parameter : template.getParameterList()) {
                if (parameter instanceof InParameter in) {
                    source = nextSource(source);
                    StoredValue target = new StoredValue(source.image, in.getSqlType(), in.getScale());
                    FieldCopy.set(InParameter.class, EXTRACTOR, in, exact(in.getValueExtractor(), source, target));
                } else if (parameter instanceof InOutParameter inOut) {
                    source = nextSource(source);
                    StoredValue target = new StoredValue(source.image, inOut.getSqlType(), inOut.getScale());
                    FieldCopy.set(
                            InOutParameter.class, EXTRACTOR, inOut, exact(inOut.getValueExtractor(), source, target));
                }
            }
            return template;
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

    private ValueExtractor exact(ValueExtractor original, Token source, StoredValue target) {
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
}
