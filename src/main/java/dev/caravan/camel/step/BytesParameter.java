package dev.caravan.camel.step;

import dev.caravan.camel.FieldException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.StreamCache;
import org.apache.camel.support.ExchangeHelper;

/**
 * Bytes for a parameter of a statement, such as an answer over HTTP. They are a text unless the parameter takes bytes: Postgres would store the
 * text {@code \x7b22} for {@code {"} in a column of text.
 */
record BytesParameter(byte[] bytes, Charset charset) {
    private static final Set<Integer> BINARY = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

    /** A value as it is, unless it is bytes. */
    static Object of(Exchange exchange, Object value) {
        if (!(value instanceof byte[] || value instanceof InputStream)) {
            return value;
        }
        byte[] bytes = SentBody.bytes(exchange, value);
        if (value instanceof StreamCache cache) {
            cache.reset();
        }
        return new BytesParameter(bytes, ExchangeHelper.getCharset(exchange));
    }

    /**
     * The values as a statement takes them.
     *
     * @param areKnown whether the database knows the types of the parameters
     */
    static Iterator<?> sent(PreparedStatement statement, Iterator<?> values, boolean areKnown) throws SQLException {
        List<Object> sent = new ArrayList<>();
        values.forEachRemaining(value -> {
            if (value instanceof Iterator<?> several) { // of an in (…)
                several.forEachRemaining(sent::add);
            } else {
                sent.add(value);
            }
        });
        if (sent.stream().anyMatch(BytesParameter.class::isInstance)) {
            ParameterMetaData types = areKnown ? statement.getParameterMetaData() : null;
            for (int i = 0; i < sent.size(); i++) {
                if (sent.get(i) instanceof BytesParameter parameter) {
                    sent.set(i, BINARY.contains(type(types, i + 1)) ? parameter.bytes : parameter.text());
                }
            }
        }
        return sent.iterator();
    }

    private static int type(ParameterMetaData types, int parameter) {
        try {
            return types == null ? Types.BINARY : types.getParameterType(parameter);
        } catch (SQLException e) {
            return Types.BINARY; // some drivers, such as that of MySQL, know only the number of parameters
        }
    }

    /** @throws FieldException if they are no text */
    String text() {
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new FieldException("The bytes for a parameter of the statement are no text in " + charset
                    + ", and the parameter takes no bytes");
        }
    }
}
