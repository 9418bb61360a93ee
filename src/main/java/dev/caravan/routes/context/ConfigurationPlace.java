package dev.caravan.routes.context;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.LineNumberAware;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.spi.Resource;

/** Where a route configuration was read from. */
public final class ConfigurationPlace {
    private ConfigurationPlace() {}

    /** The locations of a configuration and of its clauses. If Camel has loaded it from YAML, only the clauses know their file. */
    public static Stream<String> locations(RouteConfigurationDefinition configuration) {
        return Stream.concat(
                Optional.ofNullable(configuration.getResource()).map(Resource::getLocation).stream(),
                Stream.of(
                                configuration.getOnExceptions(),
                                configuration.getOnCompletions(),
                                configuration.getIntercepts(),
                                configuration.getInterceptFroms(),
                                configuration.getInterceptSendTos())
                        .flatMap(List::stream)
                        .map(LineNumberAware::getLocation)
                        .filter(Objects::nonNull));
    }
}
