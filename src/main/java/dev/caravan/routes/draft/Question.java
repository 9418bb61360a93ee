package dev.caravan.routes.draft;

import java.util.Locale;
import java.util.regex.Pattern;

/** A question whose answer a draft of a route contains. Each question is also an option of {@code new}. */
public enum Question {
    TYPE("Types of the messages, for example order.placed or order.*", "[^\\s\"]+", "have no spaces and quotes"),
    URL("URL of the receiver", "https?://[^\\s/?#]+\\S*", "be an http or https URL"),
    TOPIC("Topic", "[a-zA-Z0-9._-]{1,249}", "be 1 to 249 letters, digits, dots, dashes and underscores"),
    TABLE(
            "Table, with its schema if it is not public",
            "[a-zA-Z_][\\w$]*(\\.[a-zA-Z_][\\w$]*)?",
            "be a name, or a schema and a name"),
    QUEUE("Queue", "[^\\s?&\"]+", "have no spaces, quotes, ? and &"),
    BUCKET("Bucket", "[a-z0-9.-]{3,63}", "be 3 to 63 lower-case letters, digits, dots and dashes"),
    FOLDER("Folder of the files", "[^?&#%\"]+", "have no quotes, ?, &, # and %"),
    FROM("Sender: an email address, or a number in international form", ".+", "not be empty"),
    RECIPIENT("Recipient", ".+", "not be empty"),
    SUBJECT("Subject", ".+", "not be empty"),
    TEXT("Text", ".+", "not be empty");

    private final String prompt;
    private final Pattern valid;
    private final String rule;

    Question(String prompt, String valid, String rule) {
        this.prompt = prompt;
        this.valid = Pattern.compile(valid);
        this.rule = rule;
    }

    /** The name of its placeholder in a draft. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String option() {
        return "--" + id();
    }

    /** The text of the question. */
    public String prompt() {
        return prompt;
    }

    /** What an answer must be, after "must". */
    public String rule() {
        return rule + ", in one line without {{ and }}";
    }

    /** Whether an answer can be written into a route. */
    public boolean accepts(String answer) {
        return valid.matcher(answer).matches()
                && answer.codePoints().noneMatch(Character::isISOControl)
                && !answer.contains("{{")
                && !answer.contains("}}");
    }
}
