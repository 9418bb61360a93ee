package dev.caravan.relay;

import dev.caravan.routes.context.RouteOutline;
import io.micrometer.core.instrument.Tags;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.micrometer.eventnotifier.MicrometerExchangeEventNotifier;
import org.apache.camel.component.micrometer.eventnotifier.MicrometerExchangeEventNotifierNamingStrategy;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.spi.CamelEvent.ExchangeEvent;
import org.apache.camel.util.URISupport;

/**
 * Names endpoints in the metrics of Camel that a setting enables, which need no token: as the routes write them, without what may be a
 * credential. Of others only the scheme is shown: their addresses are made of messages. Each name is kept with its series, so they must be few; a
 * meter filter is too late for that, because Micrometer keeps the names from before the filter, too.
 */
final class EndpointNames implements MicrometerExchangeEventNotifierNamingStrategy {
    private record Written(List<RouteDefinition> routes, Set<String> addresses) {}

    private final MicrometerExchangeEventNotifierNamingStrategy others;
    private volatile Written written = new Written(List.of(), Set.of());

    private EndpointNames(MicrometerExchangeEventNotifierNamingStrategy others) {
        this.others = others;
    }

    /** Sets the names of a context, whose services are configured and not started. */
    static void bind(CamelContext context) {
        context.getManagementStrategy().getEventNotifiers().stream()
                .filter(MicrometerExchangeEventNotifier.class::isInstance)
                .map(MicrometerExchangeEventNotifier.class::cast)
                .forEach(metrics -> metrics.setNamingStrategy(new EndpointNames(metrics.getNamingStrategy())));
    }

    @Override
    public String getName(Exchange exchange, Endpoint endpoint) {
        return others.getName(exchange, endpoint);
    }

    @Override
    public String formatName(String name) {
        return others.formatName(name);
    }

    @Override
    public boolean isBaseEndpointURI() {
        return others.isBaseEndpointURI();
    }

    @Override
    public Tags getTags(ExchangeEvent event, Endpoint endpoint) {
        Tags tags = others.getTags(event, endpoint);
        return endpoint == null
                ? tags
                : tags.and(
                        MicrometerConstants.ENDPOINT_NAME,
                        name(event.getExchange().getContext(), endpoint.toString()));
    }

    /** Of an address with a value of the message in its path, the host that a route writes. */
    private String name(CamelContext context, String uri) {
        String address = uri.replaceFirst("(?s)\\?.*", "");
        return Stream.of(address, address.replaceFirst("(?s)(://[^/]*).*", "$1"))
                .filter(named -> written(context).stream()
                        .anyMatch(one -> one.startsWith(named)
                                && (one.length() == named.length() || one.charAt(named.length()) == '/')))
                .findFirst()
                .map(RouteOutline::withoutCredentials)
                .orElseGet(() -> address.replaceFirst("(?s):.*", ""));
    }

    private Set<String> written(CamelContext context) {
        List<RouteDefinition> routes =
                context.getCamelContextExtension().getContextPlugin(Model.class).getRouteDefinitions();
        Written known = written;
        if (!known.routes.equals(routes)) {
            known = new Written(
                    List.copyOf(routes),
                    RouteOutline.all(context).stream()
                            .flatMap(route -> Stream.concat(Stream.of(route.from()), route.destinations().stream()))
                            .flatMap(address -> resolved(context, address).stream())
                            .collect(Collectors.toSet()));
            written = known;
        }
        return known.addresses;
    }

    private static Optional<String> resolved(CamelContext context, String address) {
        try {
            return Optional.of(URISupport.normalizeUri(context.resolvePropertyPlaceholders(address)));
        } catch (URISyntaxException | IllegalArgumentException e) {
            return Optional.empty(); // of a template, or of toD
        }
    }
}
