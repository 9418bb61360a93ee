package dev.caravan.console.identity;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The text of a header: the server reads its bytes as ISO 8859-1, and proxies send names in UTF-8. */
final class HeaderText {
    private HeaderText() {}

    /** The text decoded as UTF-8 if its bytes are valid UTF-8; otherwise unchanged. */
    static String decoded(String value) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return value;
        }
    }
}
