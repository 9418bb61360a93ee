package dev.caravan.base.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.json.ByteSourceJsonBootstrapper;
import com.fasterxml.jackson.core.sym.ByteQuadsCanonicalizer;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.deser.std.JsonNodeDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * Reads and writes JSON of applications without the limits of Jackson, because Postgres has stored it: numbers, names and texts of any
 * length. The size of a message is limited where it is read.
 */
public final class StoredJson {
    /** Postgres stores a depth of about 14,000 with its default settings. Deeper trees could use up the stack of a thread. */
    public static final int DEEPEST_TREE = 5_000;

    private static final int DEEPEST_REQUEST = 1_000;

    /**
     * Of a payload that becomes a tree, or maps and lists: they take up to 64 bytes for each, and half of the heap. The shortest
     * payload that would take up the whole heap consists of empty lists.
     */
    public static final long MOST_TOKENS = Runtime.getRuntime().maxMemory() / 128;

    private static final JsonFactory ANY_DEPTH = factory();

    private StoredJson() {}

    /**
     * A factory for tokens, at any depth. A parser of long numbers takes more than quadratic time without the faster one. Names of fields are
     * not kept: all names of all messages would stay in memory for ever.
     */
    public static JsonFactory factory() {
        return factory(Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    private static JsonFactory factory(int depth, long tokens) {
        return new Forgetful(new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .maxNameLength(Integer.MAX_VALUE)
                        .maxNestingDepth(depth)
                        .maxTokenCount(tokens)
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(Integer.MAX_VALUE)
                        .build())
                .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES));
    }

    /**
     * Gives each parser of bytes a table of names of its own. Without one, Jackson reads bytes as text, and replaces what is no UTF-8 instead of
     * refusing it.
     */
    private static final class Forgetful extends JsonFactory {
        private static final long serialVersionUID = 1L;

        Forgetful(JsonFactoryBuilder options) {
            super(options);
        }

        private Forgetful(Forgetful original) {
            super(original, null);
        }

        @Override
        public JsonFactory copy() {
            return new Forgetful(this);
        }

        @Override
        protected JsonParser _createParser(InputStream bytes, IOContext context) throws IOException {
            return parser(new ByteSourceJsonBootstrapper(context, bytes));
        }

        @Override
        protected JsonParser _createParser(byte[] bytes, int offset, int length, IOContext context) throws IOException {
            return parser(new ByteSourceJsonBootstrapper(context, bytes, offset, length));
        }

        private JsonParser parser(ByteSourceJsonBootstrapper bytes) throws IOException {
            return bytes.constructParser(
                    _parserFeatures,
                    _objectCodec,
                    ByteQuadsCanonicalizer.createRoot(),
                    _rootCharSymbols,
                    _factoryFeatures | Feature.CANONICALIZE_FIELD_NAMES.getMask());
        }
    }

    /** Reads a tree, and refuses a number such as {@code 1e99999999999}, which Postgres stores in a column of type json, as what is no JSON. */
    private static final class Trees extends StdDeserializer<JsonNode> {
        private static final long serialVersionUID = 1L;

        Trees() {
            super(JsonNode.class);
        }

        @Override
        public JsonNode deserialize(JsonParser tokens, DeserializationContext context) throws IOException {
            try {
                return JsonNodeDeserializer.getDeserializer(JsonNode.class).deserialize(tokens, context);
            } catch (NumberFormatException e) {
                throw new JsonParseException(tokens, "A number is too large", e);
            }
        }
    }

    /** A mapper for trees. Numbers keep all digits. */
    public static JsonMapper.Builder mapper() {
        return mapper(DEEPEST_TREE, Long.MAX_VALUE);
    }

    /** As {@link #mapper()}, for what a request brings: refuses a document whose depth would use up the stack of a thread that changes its tree. */
    public static JsonMapper.Builder requestMapper() {
        return mapper(DEEPEST_REQUEST, Long.MAX_VALUE);
    }

    /** As {@link #mapper()}, for payloads in routes: refuses one with more than {@link #MOST_TOKENS}. */
    public static JsonMapper.Builder payloadMapper() {
        return mapper(DEEPEST_TREE, MOST_TOKENS);
    }

    private static JsonMapper.Builder mapper(int depth, long tokens) {
        return JsonMapper.builder(factory(depth, tokens))
                .addModule(new SimpleModule().addDeserializer(JsonNode.class, new Trees()))
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    }

    /**
     * The text of a tree of any depth.
     *
     * @throws IllegalArgumentException if it contains NaN or Infinity, as no JSON that was read does
     */
    public static String text(JsonNode tree) {
        try (JsonParser tokens = tree.traverse()) {
            tokens.nextToken();
            return text(tokens);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is read or written outside the memory
        }
    }

    /** The text of the value that begins at the current token, without spaces. Numbers keep their notation. */
    public static String text(JsonParser tokens) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator copy = ANY_DEPTH.createGenerator(text)) {
            int depth = 0;
            do {
                copy(tokens, copy);
                depth += tokens.currentToken().isStructStart()
                        ? 1
                        : tokens.currentToken().isStructEnd() ? -1 : 0;
            } while (depth > 0 && tokens.nextToken() != null);
        }
        return text.toString();
    }

    private static void copy(JsonParser tokens, JsonGenerator copy) throws IOException {
        if (tokens.currentToken().isNumeric()) {
            if (tokens.isNaN()) {
                throw new IllegalArgumentException("NaN and Infinity are not JSON");
            }
            copy.writeNumber(tokens.getText());
        } else {
            copy.copyCurrentEvent(tokens);
        }
    }
}
