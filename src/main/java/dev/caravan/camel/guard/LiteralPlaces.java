package dev.caravan.camel.guard;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;

/**
 * Finds functions such as {@code ${header.customer}} where nothing computes them: in the address of a step {@code to}, and in options. Each message
 * would be sent with the text of the function, and count as delivered. Finds also templates whose values cannot be checked, in computed addresses.
 */
public final class LiteralPlaces {
    private LiteralPlaces() {}

    /** The steps of a route, and of those that it reaches, with a function where it is certain that nothing computes it. */
    public static Stream<BatchSteps.Found> of(CamelContext context, RouteDefinition route) {
        return EarlyAcknowledgement.reached(context, List.of(route)).stream()
                .flatMap(each -> InnerSteps.all(each.getOutputs()))
                .flatMap(step -> Stream.concat(
                                CheckedAddress.mistake(step).stream(),
                                step instanceof SendDefinition<?> send && send.getEndpointUri() != null
                                        ? in(Placeholders.uri(
                                                context,
                                                ProcessorDefinitionHelper.getRoute(step),
                                                send.getEndpointUri()))
                                        : Stream.empty())
                        .map(text -> BatchSteps.Found.of(step, text)));
    }

    private static Stream<String> in(String uri) {
        return places(uri)
                .map(place -> "has ${…} in " + (place.isEmpty() ? "its address" : "the option " + place) + " of "
                        + scheme(uri) + ":, which does not compute it: each message would be sent with this"
                        + " text. Use toD in place of to, or write \"{{…}}\" for a setting");
    }

    private static Stream<String> places(String uri) {
        String names = sentAsTheyAre(scheme(uri));
        if (names == null || !FilledText.BEGIN.matcher(uri).find()) {
            return Stream.empty();
        }
        Map<String, String> texts = new TreeMap<>(AddressTemplate.parameters(uri));
        texts.put("", path(uri));
        return texts.keySet().stream()
                .filter(name -> name.matches(names)
                        && FilledText.sample(texts.get(name)).isPresent());
    }

    /** The options that a component sends as they are; the empty name is that of the address. Null if it is not known. */
    private static String sentAsTheyAre(String component) {
        return switch (component) {
            case "outbox" -> "|type|aggregateType|aggregateId";
            case "sms", "email" -> "from|messageIdDomain";
            case "standard-webhook" -> "contentType";
            case "smtp", "smtps" -> "to|cc|bcc|from|replyTo|subject";
            case "kafka" -> "|key";
            case "http", "https" -> "(?!(?i).*(?:password|secret|token|username)).*"; // these may have such a text
            case "direct", "seda", "ftp", "ftps", "sftp", "smb", "scp" -> "";
            case "jms", "sjms", "sjms2", "activemq", "activemq6", "amqp", "aws2-sqs", "aws2-sns" -> "";
            // they compute functions, or refuse them
            case "bean", "class", "cloud-event", "file", "language", "log" -> "(?!)";
            case "sql", "sql-stored" -> "(?!)";
            default -> null;
        };
    }

    /** What to point out about an address with a function, of a component that may compute it; empty if there is nothing. */
    public static Optional<String> hint(String uri) {
        return sentAsTheyAre(scheme(uri)) == null
                        && FilledText.sample(path(uri)).isPresent()
                ? Optional.of("has ${…} in its address, which most components of Camel do not compute. Use toD in place"
                        + " of to, unless the component does")
                : Optional.empty();
    }

    private static String scheme(String uri) {
        return uri.split(":", 2)[0];
    }

    /** Without a login, whose password may have such a text. */
    private static String path(String uri) {
        return uri.split("\\?", 2)[0].replaceFirst("(?<=//)[^/@]*@", "");
    }
}
