package dev.caravan.camel.guard;

import dev.caravan.base.text.Reason;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.ExtendedCamelContext;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.ToDynamicDefinition;

/**
 * Whether the address to which an exchange could not be sent is that of its route. The text of an error about a computed one may have values of the
 * message, such as the name of a host. Only failures look this up.
 */
public final class FailedAddress {
    /** Headers with an address, a topic or a statement in place of that of the endpoint. */
    private static final List<String> OVERRIDES = List.of(
            "CamelHttpUri", "CamelRestHttpUri", "CamelSqlQuery", "CamelJmsDestination", "CamelJmsDestinationName");

    private final List<RouteDefinition> all;
    private final Set<String> hosts;

    private FailedAddress(List<RouteDefinition> all, Set<String> hosts) {
        this.all = all;
        this.hosts = hosts;
    }

    /** Why an exchange failed, in one line that is safe to log. */
    public static String reason(Exchange exchange, Throwable failure) {
        return Reason.ofStep(failure, UnaryOperator.identity(), uri(exchange), isComputed(exchange));
    }

    /** The uri of the endpoint at which an exchange failed; empty if it was sent to none. */
    static String uri(Exchange exchange) {
        String failed = exchange.getProperty(ExchangePropertyKey.FAILURE_ENDPOINT, String.class);
        return failed != null ? failed : exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, "", String.class);
    }

    static boolean isComputed(Exchange exchange) {
        String uri = uri(exchange);
        return exchange.getProperty(OutboxConstants.OTHER_TOPIC, false, boolean.class)
                || OVERRIDES.stream().anyMatch(name -> exchange.getMessage().getHeader(name) != null)
                || !uri.isEmpty()
                        && !exchange.getContext().getEndpointRegistry().isStatic(uri)
                        && !hosts(exchange.getContext()).contains(host(uri));
    }

    /** The hosts that steps toD write before a value of the message, with their schemes. They are found again when routes were added or removed. */
    private static Set<String> hosts(CamelContext context) {
        ExtendedCamelContext plugins = context.getCamelContextExtension();
        List<RouteDefinition> all =
                List.copyOf(plugins.getContextPlugin(Model.class).getRouteDefinitions());
        FailedAddress known = plugins.getContextPlugin(FailedAddress.class);
        if (known == null || !known.all.equals(all)) {
            known = new FailedAddress(
                    all,
                    all.stream()
                            .flatMap(route -> InnerSteps.all(route.getOutputs())
                                    .filter(ToDynamicDefinition.class::isInstance)
                                    .map(step -> Placeholders.resolved(
                                            context, route, ((ToDynamicDefinition) step).getUri())))
                            .flatMap(FailedAddress::hostOfRoute)
                            .collect(Collectors.toSet()));
            plugins.addContextPlugin(FailedAddress.class, known);
        }
        return known.hosts;
    }

    private static Stream<String> hostOfRoute(String text) {
        return AddressTemplate.ofStep(text, "").filter(AddressTemplate::hasHostOfRoute).stream()
                .map(template -> host(text))
                .filter(host -> !host.isEmpty());
    }

    /** The scheme and the host with its port; empty for an address without a host. */
    private static String host(String uri) {
        Matcher authority = AddressTemplate.AUTHORITY.matcher(uri);
        return authority.lookingAt()
                ? authority.group().toLowerCase(Locale.ROOT).replaceFirst(":/*", ":")
                : "";
    }
}
