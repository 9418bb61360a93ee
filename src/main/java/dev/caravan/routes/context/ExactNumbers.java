package dev.caravan.routes.context;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.camel.CamelContext;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.spi.DataFormat;
import org.apache.camel.support.LifecycleStrategySupport;

/**
 * Makes the steps {@code unmarshal} and {@code marshal} of {@code json} keep numbers as they are. By default they become floating-point
 * numbers: 84.50 is sent as 84.5, and 1e400 as the text "Infinity". A mapper of the user in the registry is used instead.
 */
public final class ExactNumbers extends LifecycleStrategySupport {
    private final CamelContext context;

    private ExactNumbers(CamelContext context) {
        this.context = context;
    }

    public static void in(CamelContext context) {
        context.addLifecycleStrategy(new ExactNumbers(context));
    }

    @Override
    public void onDataFormatCreated(String name, DataFormat created) {
        if (created instanceof JacksonDataFormat json
                && json.getObjectMapper() == null
                && context.getRegistry().findByType(ObjectMapper.class).isEmpty()) {
            json.setObjectMapper(mapper());
        }
    }

    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE) // the size of messages is limited elsewhere
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }
}
