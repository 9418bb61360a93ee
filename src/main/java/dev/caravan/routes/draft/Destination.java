package dev.caravan.routes.draft;

import dev.caravan.base.text.TextFile;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A kind of destination for which a draft exists. */
public enum Destination {
    WEBHOOK("signed requests (Standard Webhooks)", ""),
    KAFKA("a topic of Kafka", ""),
    HTTP("requests to a URL", ""),
    SQL("rows in a table", ""),
    EMAIL("mails", ""),
    SMS("text messages with Twilio or a compatible gateway", ""),
    FILE("lines of JSON in a file per day (NDJSON)", ""),
    SLACK("posts in a channel of Slack", ""),
    SQS("a queue of Amazon SQS", "aws2-sqs"),
    S3("objects in a bucket of Amazon S3", "aws2-s3"),
    AMQP("a queue of an AMQP 1.0 broker", "amqp");

    private final String description;
    private final String component;

    Destination(String description, String component) {
        this.description = description;
        this.component = component;
    }

    /** The name in the option {@code --to}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a route of this kind produces. */
    public String description() {
        return description;
    }

    /** The component to add with {@code component add}; empty if the relay contains it. */
    public Optional<String> component() {
        return component.isEmpty() ? Optional.empty() : Optional.of(component);
    }

    /** The destination of this name. */
    public static Optional<Destination> of(String id) {
        return Arrays.stream(values()).filter(kind -> kind.id().equals(id)).findFirst();
    }

    /** The questions whose answers a draft needs. */
    public List<Question> questions() {
        return Arrays.stream(Question.values())
                .filter(question -> Pattern.compile("@" + question.id() + "(\\|json)?@")
                        .matcher(route() + settings())
                        .find())
                .toList();
    }

    /** The questions without a suggested answer. */
    public Stream<Question> required() {
        return questions().stream().filter(question -> suggestion(question).isEmpty());
    }

    /** The suggested answer; empty if there is none. */
    public String suggestion(Question question) {
        return switch (question) {
            case RECIPIENT -> this == EMAIL ? "${customer.email}" : "${customer.phone}";
            case SUBJECT -> "Your order ${orderId}";
            case TEXT ->
                this == SLACK ? "New ${header.type}: ${header.aggregate-id}" : "Thank you for your order ${orderId}.";
            default -> "";
        };
    }

    /** The route file with placeholders {@code @…@} for the answers. */
    String route() {
        return text("camel.yaml").orElseThrow();
    }

    /** The settings of the route; empty if it has none. */
    String settings() {
        return text("properties").orElse("");
    }

    private Optional<String> text(String ending) {
        return TextFile.resource("/new/" + id() + "." + ending);
    }

    /** The names of all destinations. */
    public static Stream<String> ids() {
        return Arrays.stream(values()).map(Destination::id);
    }
}
