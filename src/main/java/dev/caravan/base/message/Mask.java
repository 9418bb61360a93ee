package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.text.StoredJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Hides the values of fields with given names, at any depth of a document, also in texts of it that are documents themselves. A text that seems to
 * have such a field and cannot be read, such as a part of a document, is hidden as a whole.
 */
public final class Mask {
    /** The replacement for a hidden value. */
    public static final String HIDDEN = "•••";

    private static final JsonMapper JSON = StoredJson.mapper().build();
    private static final JsonMapper WITHOUT_REPEATED_FIELDS = StoredJson.mapper()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final JsonNode MASKED = TextNode.valueOf(HIDDEN);
    /** Stands for a document that is nested too deeply to be searched. */
    private static final JsonNode TOO_DEEP = TextNode.valueOf(HIDDEN);

    private static final long FNV_PRIME = 0x100000001b3L;

    private final Set<String> names;
    /** One of the names in quotation marks and a colon. */
    private final Pattern field;

    private Mask(Set<String> names) {
        this.names = names;
        field = Pattern.compile(
                names.stream().map(Pattern::quote).collect(Collectors.joining("|", "[\"'](?:", ")\\\\*[\"']\\s*:")),
                Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    }

    /** @param names field names separated by commas, ignoring case; an empty text hides nothing */
    public static Mask of(String names) {
        return new Mask(Arrays.stream(names.split(","))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * The document with values hidden; all other text is unchanged. Reads the tokens and not a tree: of two fields with the same name a tree
     * has only the last, and the text shows both.
     */
    public String hide(String document) {
        if (isTooDeep(document)) {
            return StoredJson.text(MASKED);
        }
        StringBuilder shown = new StringBuilder();
        int copied = 0;
        for (Field field : fields(document)) {
            if (!field.isNull()) {
                shown.append(document, copied, field.start()).append(StoredJson.text(TextNode.valueOf(field.shown())));
                copied = field.end();
            }
        }
        return copied == 0
                ? document
                : shown.append(document, copied, document.length()).toString();
    }

    /** The texts and numbers that a document hides, to hide them in other texts too: as they are read, and as they are written there. */
    public List<String> hiddenValues(String document) {
        Set<String> values = new LinkedHashSet<>();
        for (Field field : fields(document)) {
            String value = document.substring(field.start(), field.end());
            if (field.inText()) {
                values.addAll(hiddenValues(read(value).textValue()));
                continue;
            }
            tokens(value, parser -> {
                if (parser.currentToken().isScalarValue()
                        && parser.currentToken() != JsonToken.VALUE_NULL
                        && !parser.getText().isEmpty()) {
                    values.add(parser.getText());
                    values.add(written(value, parser));
                }
            });
        }
        return List.copyOf(values);
    }

    private static String written(String document, JsonParser parser) throws IOException {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.finishToken();
        int quote = parser.currentToken() == JsonToken.VALUE_STRING ? 1 : 0;
        return document.substring(start + quote, (int) parser.currentLocation().getCharOffset() - quote);
    }

    /**
     * A hidden field of a document, or a text that is a document with hidden fields.
     *
     * @param start where its value begins
     * @param end after its value
     * @param shown the text in place of its value
     */
    private record Field(int start, int end, boolean isNull, String shown) {
        boolean inText() {
            return !shown.equals(HIDDEN);
        }
    }

    private List<Field> fields(String document) {
        List<Field> fields = new ArrayList<>();
        tokens(document, parser -> {
            if (parser.currentToken() == JsonToken.FIELD_NAME && hides(parser.currentName())) {
                boolean isNull = parser.nextToken() == JsonToken.VALUE_NULL;
                fields.add(field(parser, isNull, HIDDEN));
            } else if (parser.currentToken() == JsonToken.VALUE_STRING) {
                String shown = hideInText(parser.getText());
                if (!shown.equals(parser.getText())) {
                    fields.add(field(parser, false, shown));
                }
            }
        });
        return fields;
    }

    /** The field whose value begins at the current token, which becomes the last one of the value. */
    private static Field field(JsonParser parser, boolean isNull, String shown) throws IOException {
        int start = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return new Field(start, (int) parser.currentLocation().getCharOffset(), isNull, shown);
    }

    private static boolean isTooDeep(String document) {
        int[] depth = new int[2]; // now and at most
        tokens(document, parser -> {
            depth[0] += parser.currentToken().isStructStart()
                    ? 1
                    : parser.currentToken().isStructEnd() ? -1 : 0;
            depth[1] = Math.max(depth[0], depth[1]);
        });
        return depth[1] > StoredJson.DEEPEST_TREE;
    }

    private String hideInText(String text) {
        if (names.isEmpty()) {
            return text;
        }
        return isDocument(text) ? hide(text) : field.matcher(text).find() ? HIDDEN : text;
    }

    private boolean isHiddenText(JsonNode value) {
        return value.isTextual() && hideInText(value.textValue()).equals(HIDDEN);
    }

    /** Whether a text is a JSON object, array or text, or several of them. */
    private static boolean isDocument(String text) {
        return documents(text) > 0;
    }

    private static int documents(String text) {
        String begin = text.stripLeading();
        if (begin.isEmpty() || "{[\"".indexOf(begin.charAt(0)) < 0) {
            return 0;
        }
        int documents = 0;
        try (JsonParser parser = MessageFields.JSON.createParser(text)) {
            while (parser.nextToken() != null) {
                parser.skipChildren();
                documents++;
            }
            return documents;
        } catch (StreamConstraintsException e) {
            return 1;
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * A number for the path of the current value, which is the same for the same path. Made from that of its container, because a path may be long,
     * and the fields many.
     */
    private static long place(JsonStreamContext context) {
        return context.inRoot()
                ? 0
                : place(
                        container(context),
                        context.inArray() ? index(context.getCurrentIndex()) : context.getCurrentName());
    }

    /** FNV-1a: the hash of Java is the same for many short names. */
    private static long place(long container, String step) {
        return step.chars().asLongStream().reduce(container * FNV_PRIME + 1, (hash, unit) -> (hash ^ unit) * FNV_PRIME);
    }

    private static String index(int index) {
        return "[" + index + "]";
    }

    /** The place of an object or array, kept from its beginning on. */
    private static long container(JsonStreamContext context) {
        if (context.getCurrentValue() == null) {
            context.setCurrentValue(place(context.getParent()));
        }
        return (Long) context.getCurrentValue();
    }

    /** Uses one token of a document, and can go on to later ones. */
    @FunctionalInterface
    private interface TokenUse {
        void at(JsonParser parser) throws IOException;
    }

    private static void tokens(String document, TokenUse use) {
        try (JsonParser parser = MessageFields.JSON.createParser(document)) {
            while (parser.nextToken() != null) {
                use.at(parser);
            }
        } catch (IOException e) {
            throw notJson();
        }
    }

    /**
     * Replaces each mask in an edited document by the original value.
     *
     * @throws BadLine when a mask is not that of one value of the original: at its path the original hides no value, or has several, or an array that
     *     contains it has changed; or when the original cannot be read
     */
    public JsonNode reveal(JsonNode edited, String original) throws BadLine {
        return isIn(StoredJson.text(edited))
                ? new Edited(repeatedFields(original)).revealed(edited, tree(JSON, original), Place.ROOT)
                : edited;
    }

    /** As {@link #reveal(JsonNode, String)}, for an edited document that is valid JSON. Without a mask in it, it is returned as it is written. */
    public String reveal(String edited, Optional<String> original) throws BadLine {
        if (!isIn(edited)) {
            return edited;
        }
        JsonNode tree = tree(WITHOUT_REPEATED_FIELDS, edited);
        return original.isPresent() && JsonDifference.isSame(tree, original.map(this::hide))
                ? original.get()
                : StoredJson.text(reveal(tree, original.orElse("null")));
    }

    /** Whether a value of a document is the mask, also in texts of it that are documents themselves. */
    private static boolean isIn(String document) {
        if (!document.contains(HIDDEN) && !document.contains("\\u2022")) {
            return false;
        }
        boolean[] found = new boolean[1];
        tokens(
                document,
                parser -> found[0] = found[0]
                        || parser.currentToken() == JsonToken.VALUE_STRING
                                && (parser.getText().equals(HIDDEN) || isInText(parser.getText())));
        return found[0];
    }

    private static boolean isInText(String text) {
        return isDocument(text) && isIn(text);
    }

    /** The places of the fields that an object of the document has several times. */
    private static Set<Long> repeatedFields(String document) {
        Set<Long> once = new HashSet<>();
        Set<Long> repeated = new HashSet<>();
        tokens(document, parser -> {
            if (parser.currentToken().isStructStart()) {
                container(parser.getParsingContext());
            } else if (parser.currentToken() == JsonToken.FIELD_NAME) {
                long place = place(parser.getParsingContext());
                if (!once.add(place)) {
                    repeated.add(place);
                }
            }
        });
        return repeated;
    }

    /**
     * Where a value of an edited document is.
     *
     * @param number that of {@link Mask#place(JsonStreamContext)}
     * @param isHidden whether it is the value of a hidden field
     * @param isInRepeated whether the original has the field, or one that contains it, several times
     * @param isInArray whether an array contains it
     * @param isInChanged whether that array has changed
     */
    private record Place(
            String path, long number, boolean isHidden, boolean isInRepeated, boolean isInArray, boolean isInChanged) {
        static final Place ROOT = new Place("", 0, false, false, false, false);

        Place field(String name, boolean hides, Set<Long> repeated) {
            long at = place(number, name);
            return new Place(
                    path.isEmpty() ? name : path + "." + name,
                    at,
                    hides,
                    isInRepeated || repeated.contains(at),
                    isInArray,
                    isInChanged);
        }

        Place element(int index, boolean isChanged) {
            return new Place(path + index(index), place(number, index(index)), false, isInRepeated, true, isChanged);
        }

        BadLine refused(String why) {
            return new BadLine((path.isEmpty() ? "the value" : "the field " + MessageFields.shortened(path))
                    + " contains the mask, but " + why);
        }
    }

    /** Reveals a document whose original has these repeated fields. */
    private final class Edited {
        private final Set<Long> repeated;

        Edited(Set<Long> repeated) {
            this.repeated = repeated;
        }

        JsonNode revealed(JsonNode edited, JsonNode original, Place at) throws BadLine {
            if (MASKED.equals(edited)) {
                return original(original, at);
            }
            JsonNode shown = at.isHidden() ? MissingNode.getInstance() : original;
            if (edited instanceof ObjectNode object) {
                for (String name : fieldNames(object)) {
                    Place field = at.field(name, hides(name), repeated);
                    object.set(name, revealed(object.get(name), shown.path(name), field));
                }
            } else if (edited instanceof ArrayNode array) {
                // a change of an outer array may have exchanged the elements of the inner ones
                boolean isChanged = at.isInArray() ? at.isInChanged() : !isShownAlike(array, shown);
                for (int i = 0; i < array.size(); i++) {
                    array.set(i, revealed(array.get(i), shown.path(i), at.element(i, isChanged)));
                }
            }
            return edited.isTextual() && isInText(edited.textValue())
                    ? TextNode.valueOf(revealedText(edited.textValue(), shown, at))
                    : edited;
        }

        private JsonNode original(JsonNode original, Place at) throws BadLine {
            requireNotRepeated(at);
            boolean isOriginal = at.isHidden()
                    ? !original.isMissingNode() && !original.isNull()
                    : MASKED.equals(original) || isHiddenText(original);
            if (!isOriginal) {
                throw at.refused("the original shows no mask there. Give its value");
            }
            requireUnchanged(at);
            return original;
        }

        private String revealedText(String edited, JsonNode original, Place at) throws BadLine {
            String before = original.isTextual() && isDocument(original.textValue()) ? original.textValue() : "null";
            requireNotRepeated(at);
            requireUnchanged(at);
            if (edited.equals(hide(before))) {
                return before;
            }
            if (documents(edited) > 1) {
                throw severalFields(at);
            }
            return StoredJson.text(reveal(tree(WITHOUT_REPEATED_FIELDS, edited), before));
        }

        private void requireNotRepeated(Place at) throws BadLine {
            if (at.isInRepeated()) {
                throw severalFields(at);
            }
        }

        private void requireUnchanged(Place at) throws BadLine {
            if (at.isInChanged()) {
                throw at.refused("the array that it is in has changed: whose value it was is not known. Give its value,"
                        + " or change nothing in this array but masked values");
            }
        }

        private BadLine severalFields(Place at) {
            return at.refused("the original has several such fields. Give its value");
        }
    }

    /** Whether two values differ at most in what is hidden. Otherwise an index may be that of another element. */
    private boolean isShownAlike(JsonNode edited, JsonNode original) {
        return !original.isMissingNode()
                && read(hide(StoredJson.text(edited))).equals(read(hide(StoredJson.text(original))));
    }

    private boolean hides(String name) {
        return names.contains(name.toLowerCase(Locale.ROOT));
    }

    private static List<String> fieldNames(ObjectNode object) {
        List<String> all = new ArrayList<>();
        object.fieldNames().forEachRemaining(all::add);
        return all;
    }

    private static JsonNode read(String document) {
        try {
            return JSON.readTree(document);
        } catch (StreamConstraintsException e) {
            return TOO_DEEP;
        } catch (JsonProcessingException e) {
            throw notJson();
        }
    }

    private static JsonNode tree(JsonMapper mapper, String document) throws BadLine {
        try {
            return mapper.readTree(document);
        } catch (JsonProcessingException e) {
            throw new BadLine(
                    mapper == JSON
                            ? "it contains the mask, but the original has a number that is too large, or too much depth."
                                    + " Give all values"
                            : "it contains the mask, and an object has a field twice, a number is too large, or it is"
                                    + " too deep. Give all values");
        }
    }

    /** Impossible: the column is JSON. The message must not contain the content. */
    private static IllegalStateException notJson() {
        return new IllegalStateException("not JSON");
    }
}
