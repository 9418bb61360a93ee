package dev.caravan.camel.guard;

import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.util.URISupport;

/**
 * Finds functions such as {@code ${header.customer}} where nothing computes them: in the address of a step {@code to}, and in options. Each message
 * would be sent with the text of the function, and count as delivered.
 */
public final class LiteralPlaces {
    /** The options that are sent as they are, by component; the empty name is that of the address. */
    private static final Map<String, Pattern> BY_COMPONENT = new HashMap<>();

    static {
        add("outbox", "|type|aggregateType|aggregateId");
        add("sms email", "from");
        add("smtp smtps", "to|cc|bcc|from|replyTo|subject");
        add("kafka", "|key");
        add("http https", "(?!(?i).*(?:password|secret|token|username)).*"); // these may have such a text
        add("direct seda ftp ftps sftp smb scp jms sjms sjms2 activemq activemq6 amqp aws2-sqs aws2-sns", "");
    }

    /** Components that compute functions in what follows their name, or refuse them. */
    private static final Set<String> COMPUTED = Set.of(
            "bean",
            "class",
            "cloud-event",
            "email",
            "file",
            "language",
            "log",
            "sms",
            "sql",
            "sql-stored",
            "standard-webhook");

    private LiteralPlaces() {}

    private static void add(String components, String options) {
        for (String component : components.split(" ")) {
            BY_COMPONENT.put(component, Pattern.compile(options));
        }
    }

    /** The steps of a route, and of those that it reaches, with a function where it is certain that nothing computes it. */
    public static List<BatchSteps.Found> of(CamelContext context, RouteDefinition route) {
        List<BatchSteps.Found> all = new ArrayList<>();
        EarlyAcknowledgement.reached(context, List.of(route)).forEach(each -> add(context, each.getOutputs(), all));
        return all;
    }

    private static void add(CamelContext context, List<ProcessorDefinition<?>> steps, List<BatchSteps.Found> to) {
        for (ProcessorDefinition<?> step : steps) {
            if (step instanceof SendDefinition<?> send && send.getEndpointUri() != null) {
                String uri = Placeholders.uri(context, ProcessorDefinitionHelper.getRoute(step), send.getEndpointUri());
                places(uri)
                        .forEach(place -> to.add(BatchSteps.Found.of(
                                step,
                                "has ${…} in " + (place.isEmpty() ? "its address" : "the option " + place) + " of "
                                        + scheme(uri)
                                        + ":, which does not compute it: each message would be sent with this"
                                        + " text. Use toD in place of to, or write \"{{…}}\" for a setting")));
            }
            add(context, InnerSteps.of(step), to);
        }
    }

    private static Set<String> places(String uri) {
        Pattern names = BY_COMPONENT.get(scheme(uri));
        Map<String, Object> texts = new TreeMap<>();
        if (names != null && uri.contains("{")) {
            try {
                texts.putAll(URISupport.parseQuery(URISupport.extractQuery(uri), true));
            } catch (URISyntaxException e) {
                texts.clear(); // Camel refuses it
            }
            texts.put("", path(uri));
            texts.entrySet()
                    .removeIf(text -> !names.matcher(text.getKey()).matches()
                            || AddressTemplate.sample(String.valueOf(text.getValue()))
                                    .isEmpty());
        }
        return texts.keySet();
    }

    /** What to point out about an address with a function, of a component that may compute it; empty if there is nothing. */
    public static Optional<String> hint(String uri) {
        return !BY_COMPONENT.containsKey(scheme(uri))
                        && !COMPUTED.contains(scheme(uri))
                        && AddressTemplate.sample(path(uri)).isPresent()
                ? Optional.of("has ${…} in its address, which most components of Camel do not compute. Use toD in place"
                        + " of to, unless the component does")
                : Optional.empty();
    }

    private static String scheme(String uri) {
        return uri.split(":", 2)[0];
    }

    private static String path(String uri) {
        return uri.split("\\?", 2)[0];
    }
}
