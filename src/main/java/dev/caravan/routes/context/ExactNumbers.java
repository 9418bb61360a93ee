package dev.caravan.routes.context;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.UntypedObjectDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.function.Function;
import org.apache.camel.CamelContext;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.spi.DataFormat;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.support.SimpleTypeConverter;

/**
 * Binds the mapper with which routes read and write JSON: the steps {@code marshal} and {@code unmarshal} of {@code json}, the language
 * {@code jsonpath}, and conversions. It keeps the value of each number. With Camel's own mapper, 84.50 is sent as 84.5, and 1e400 as the text
 * "Infinity". A mapper of the user that is in the registry when Camel starts is used instead. Conversions of these numbers to whole ones keep the
 * value, too.
 */
public final class ExactNumbers extends LifecycleStrategySupport {
    /** The name of the bean. */
    static final String BEAN = "jsonMapper";

    /** Of the longest number in a map or list. Postgres stores 131,072 digits before the point. */
    private static final int MOST_ZEROS = 200_000;

    private final CamelContext context;

    private ExactNumbers(CamelContext context) {
        this.context = context;
    }

    /** Call it before Camel is initialized. */
    public static void in(CamelContext context) {
        context.addLifecycleStrategy(new ExactNumbers(context));
    }

    /** Before routes are made: {@code jsonpath} looks for the only mapper in the registry when its expression is created. */
    @Override
    public void onContextInitializing(CamelContext initialized) {
        if (context.getRegistry().findByType(ObjectMapper.class).isEmpty()) {
            context.getRegistry().bind(BEAN, ObjectMapper.class, mapper());
        }
        convert(BigDecimal.class, Long.class, BigDecimal::longValueExact);
        convert(BigDecimal.class, Integer.class, BigDecimal::intValueExact);
        convert(BigInteger.class, Long.class, BigInteger::longValueExact);
        convert(BigInteger.class, Integer.class, BigInteger::intValueExact);
        convert(Long.class, Integer.class, Math::toIntExact);
        convert(Double.class, Long.class, number -> new BigDecimal(number).longValueExact());
        convert(Double.class, Integer.class, number -> new BigDecimal(number).intValueExact());
    }

    /** Without a loss only: {@code simple} compares whole numbers if it can convert both sides to them, and would take 5.7 for 5. */
    private <F, T> void convert(Class<F> from, Class<T> to, Function<F, T> exact) {
        context.getTypeConverterRegistry()
                .addTypeConverter(
                        to,
                        from,
                        new SimpleTypeConverter(false, (target, exchange, value) -> exact.apply(from.cast(value))));
    }

    /** Reads less deep JSON than that of trees: maps and lists take more of the stack of a thread. */
    private static ObjectMapper mapper() {
        ObjectMapper mapper = StoredJson.payloadMapper().build();
        JsonFactory factory = mapper.getFactory();
        factory.setStreamReadConstraints(factory.streamReadConstraints()
                .rebuild()
                .maxNestingDepth(StreamReadConstraints.DEFAULT_MAX_DEPTH)
                .build());
        return mapper.registerModule(new SimpleModule().addDeserializer(Object.class, new BoundedNumbers()));
    }

    /** Drivers of databases write all zeros of a number such as 1e999999999, which takes more than the memory or hours. */
    private static final class BoundedNumbers extends UntypedObjectDeserializer {
        private static final long serialVersionUID = 1;

        BoundedNumbers() {
            super((JavaType) null, null);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)
                    && Math.abs((long) parser.getDecimalValue().scale()) > MOST_ZEROS) {
                return context.reportInputMismatch(this, "A number has more than " + MOST_ZEROS + " zeros");
            }
            return super.deserialize(parser, context);
        }
    }

    /** A step looks into the registry only on request. It gets a copy of this mapper, because the options of a step change its mapper. */
    @Override
    public void onDataFormatCreated(String name, DataFormat created) {
        if (created instanceof JacksonDataFormat json && json.getObjectMapper() == null) {
            ObjectMapper exact = context.getRegistry().lookupByNameAndType(BEAN, ObjectMapper.class);
            if (exact == null) {
                json.setAutoDiscoverObjectMapper(true);
            } else {
                json.setObjectMapper(exact.copy());
            }
        }
    }
}
