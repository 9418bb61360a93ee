package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.regex.Pattern;

/** Recipients of a mail that a route computes, such as {@code ${header.name} <${header.mail}>}: a value must not add a recipient. */
final class RecipientTemplate {
    /** Something with an address beside the values. A text that is only values may be meant to be several. */
    private static final Pattern HAS_ADDRESS = Pattern.compile("[@>]");

    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"", Pattern.DOTALL);

    private RecipientTemplate() {}

    /** @throws FieldException without a value, if one adds a recipient */
    static void require(FilledText recipients) {
        if (HAS_ADDRESS.matcher(recipients.text()).find()
                && separators(recipients.whole()) != separators(recipients.text())) {
            throw new FieldException(
                    "A value of the message adds a recipient to a mail, or a comma that is not in quotes");
        }
    }

    private static long separators(String recipients) {
        return QUOTED.matcher(recipients)
                .replaceAll("")
                .chars()
                .filter(sign -> sign == ',' || sign == ';')
                .count();
    }
}
