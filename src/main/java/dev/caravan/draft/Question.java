package dev.caravan.draft;

import java.util.Locale;
import java.util.regex.Pattern;

/** What a draft of a route depends on. Each question is also an option of {@code new}. */
public enum Question {
    TYPE("Types of the messages, for example order.placed or order.*", "[^\\s\"]+"),
    URL("URL of the receiver", "https?://[^\\s/?#]+\\S*"),
    TOPIC("Topic", "[a-zA-Z0-9._-]{1,249}"),
    TABLE("Table, with its schema if it is not public", "[a-zA-Z_][\\w$]*(\\.[a-zA-Z_][\\w$]*)?"),
    QUEUE("Queue", "[^\\s?&\"]+"),
    BUCKET("Bucket", "[a-z0-9.-]{3,63}"),
    FOLDER("Folder of the files", "[^?&#%\"]+"),
    FROM("Sender: a mail address, or a number in international form", ".+"),
    RECIPIENT("Recipient", ".+"),
    SUBJECT("Subject", ".+"),
    TEXT("Text", ".+");

    private final String prompt;
    private final Pattern valid;

    Question(String prompt, String valid) {
        this.prompt = prompt;
        this.valid = Pattern.compile(valid);
    }

    /** The name in a draft. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String option() {
        return "--" + id();
    }

    /** The question as people read it. */
    public String prompt() {
        return prompt;
    }

    /** Whether an answer can be written into a route. */
    public boolean accepts(String answer) {
        return valid.matcher(answer).matches()
                && answer.codePoints().noneMatch(Character::isISOControl)
                && !answer.contains("{{")
                && !answer.contains("}}");
    }
}
