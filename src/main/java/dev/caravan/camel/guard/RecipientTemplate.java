package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Recipients of a mail as a text of the language simple with values of a message in it, such as {@code ${header.name} <${header.mail}>}: a value
 * must not add a recipient.
 */
final class RecipientTemplate {
    private static final Pattern STEP = Pattern.compile("smtps?:");
    private static final Pattern PARAMETER = Pattern.compile("[?&](?:to|cc|bcc)=([^&]*)", Pattern.CASE_INSENSITIVE);
    /** Something with an address beside the values. A text that is only values may be meant to be several. */
    private static final Pattern HAS_ADDRESS = Pattern.compile("[@>]");

    private static final Pattern QUOTED = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*+\"", Pattern.DOTALL);

    private final String sample;

    private RecipientTemplate(String sample) {
        this.sample = sample;
    }

    /** The recipients in the address of a step {@code smtp:}; empty if no value of a message is in them, or the step is another one. */
    static Optional<RecipientTemplate> ofStep(String text) {
        return STEP.matcher(text).lookingAt() ? ofHeader(text) : Optional.empty();
    }

    /** The recipients that a text gives; empty if it has no value of a message. */
    static Optional<RecipientTemplate> ofHeader(String text) {
        return AddressTemplate.sample(text).map(RecipientTemplate::new);
    }

    /** @throws FieldException without a value, if one adds a recipient */
    void require(String given) {
        List<String> lists = lists(sample);
        List<String> listsOfMessage = lists(given);
        for (int i = 0; i < lists.size(); i++) {
            if (HAS_ADDRESS.matcher(lists.get(i)).find()
                    && separators(lists.get(i)) != separators(listsOfMessage.get(i))) {
                throw new FieldException(
                        "A value of the message adds a recipient to a mail, or a comma that is not in quotes");
            }
        }
    }

    private static List<String> lists(String text) {
        return STEP.matcher(text).lookingAt()
                ? PARAMETER
                        .matcher(text)
                        .results()
                        .map((MatchResult list) -> AddressPath.decoded(list.group(1)))
                        .toList()
                : List.of(text);
    }

    private static long separators(String recipients) {
        return QUOTED.matcher(recipients)
                .replaceAll("")
                .chars()
                .filter(sign -> sign == ',' || sign == ';')
                .count();
    }
}
