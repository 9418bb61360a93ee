package dev.caravan.camel.template;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.template.MustacheTemplate.Found;
import java.io.Writer;

/** What a template gives for one message. Values are written in its format; in JSON within a string as its content, elsewhere with their type. */
final class Output extends Writer {
    private static final int MOST_CHARACTERS = 16 << 20;

    private final StringBuilder text = new StringBuilder();
    private final Format format;
    private boolean inString;

    Output(Format format) {
        this.format = format;
    }

    @Override
    public Writer append(CharSequence piece) {
        if (!(piece instanceof Found found)) {
            String literal = piece.toString();
            inString = Format.endsInString(literal, inString);
            add(literal);
        } else if (format.isJson() && !inString) {
            format.escapeJson(found.json(), this::add);
        } else {
            format.escape(found.toString(), this::add);
        }
        return this;
    }

    private void add(String piece) {
        if (text.length() + (long) piece.length() > MOST_CHARACTERS) {
            throw new FieldException(
                    "The template gives more than " + MOST_CHARACTERS + " characters for this message");
        }
        text.append(piece);
    }

    /** @throws FieldException if it is not JSON but should be */
    String text() {
        if (format.isJson()) {
            requireJson();
        }
        return text.toString();
    }

    private void requireJson() {
        try {
            if (Payload.EXACT.readTree(text.toString()).isMissingNode()) {
                throw new FieldException("The template gives nothing for this message, and so no JSON");
            }
        } catch (JsonProcessingException e) { // its message may quote a value
            throw new FieldException("The template gives no JSON for this message: error in "
                    + Payload.place(e)
                    + " of the result. Perhaps a comma is missing between elements, or follows the last one:"
                    + " write {{^-last}},{{/-last}}");
        }
    }

    @Override
    public void write(char[] characters, int start, int length) {
        append(new String(characters, start, length));
    }

    @Override
    public void flush() {
        // nothing is written elsewhere
    }

    @Override
    public void close() {
        // nothing is open
    }
}
