package dev.caravan.camel.guard;

import dev.caravan.base.text.Reason;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.Collections;
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
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.spi.EndpointRegistry;

/**
 * Whether the address to which an exchange could not be sent is that of its route. The text of an error about a computed one may have values of the
 * message, such as the name of a host. Only failures look this up.
 */
public final class FailedAddress {
    /** Headers with an address, a topic or a statement in place of that of the endpoint. */
    private static final List<String> OVERRIDES = List.of(
            "CamelHttpUri", "CamelRestHttpUri", "CamelSqlQuery", "CamelJmsDestination", "CamelJmsDestinationName");

    private final List<RouteDefinition> all;
    private final Set<String> written;

    private FailedAddress(List<RouteDefinition> all, Set<String> written) {
        this.all = all;
        this.written = written;
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
                        && !isStatic(exchange.getContext().getEndpointRegistry(), uri)
                        && Collections.disjoint(written(exchange.getContext()), List.of(host(uri), base(uri)));
    }

    /** Some endpoints have another uri than the one under which Camel knows them. */
    private static boolean isStatic(EndpointRegistry all, String uri) {
        return all.isStatic(uri)
                || all.entrySet().stream()
                        .anyMatch(entry -> entry.getValue().getEndpointUri().equals(uri)
                                && all.isStatic(entry.getKey().getUri()));
    }

    /**
     * The hosts that steps toD write before a value of the message, with their schemes, and the constant texts of other steps. They are found again when
     * routes were added or removed.
     */
    private static Set<String> written(CamelContext context) {
        ExtendedCamelContext plugins = context.getCamelContextExtension();
        List<RouteDefinition> all =
                List.copyOf(plugins.getContextPlugin(Model.class).getRouteDefinitions());
        FailedAddress known = plugins.getContextPlugin(FailedAddress.class);
        if (known == null || !known.all.equals(all)) {
            known = new FailedAddress(
                    all,
                    all.stream()
                            .flatMap(route -> InnerSteps.all(route.getOutputs())
                                    .flatMap(step -> ofStep(step, text -> Placeholders.resolved(context, route, text))))
                            .filter(address -> !address.isEmpty())
                            .collect(Collectors.toSet()));
            plugins.addContextPlugin(FailedAddress.class, known);
        }
        return known.written;
    }

    private static Stream<String> ofStep(ProcessorDefinition<?> step, UnaryOperator<String> resolved) {
        if (step instanceof ToDynamicDefinition toD) {
            return hostOfRoute(resolved.apply(toD.getUri()));
        }
        if (step instanceof ExpressionNode node && node.getExpression() != null) {
            ExpressionDefinition expression = node.getExpression();
            Object text =
                    expression.getExpression() == null ? expression.getExpressionValue() : expression.getExpression();
            return Stream.of(resolved.apply(String.valueOf(text)).split(",")).map(FailedAddress::base);
        }
        return Stream.empty();
    }

    private static Stream<String> hostOfRoute(String text) {
        return Stream.of(host(text)).filter(host -> !host.isEmpty() && AddressTemplate.hasHostOfRoute(text));
    }

    /** An address without its options. */
    private static String base(String uri) {
        return uri.strip().replaceFirst("\\?.*", "").replaceFirst(":/*", ":");
    }

    /** The scheme and the host with its port; empty for an address without a host. */
    private static String host(String uri) {
        Matcher authority = AddressTemplate.AUTHORITY.matcher(uri);
        return authority.lookingAt()
                ? authority.group().toLowerCase(Locale.ROOT).replaceFirst(":/*", ":")
                : "";
    }
}
