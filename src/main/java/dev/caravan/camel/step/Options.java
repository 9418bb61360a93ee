package dev.caravan.camel.step;

import dev.caravan.base.settings.OptionValue;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.Component;
import org.apache.camel.spi.PropertyConfigurerGetter;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.util.StringHelper;

/** Checks the options of steps. */
public final class Options {
    private Options() {}

    /**
     * Requires options of an endpoint. Each may have a default in the component, if the component has an option of that name.
     *
     * @throws IllegalArgumentException with all that are missing or empty, and where to set each
     */
    public static void require(DefaultEndpoint endpoint, String... options) {
        var ofEndpoint = (PropertyConfigurerGetter) endpoint.getComponent().getEndpointPropertyConfigurer();
        String missing = Stream.of(options)
                .filter(option -> isBlank(ofEndpoint.getOptionValue(endpoint, option, true)))
                .map(option -> "the option " + option + " is missing or empty" + elsewhere(endpoint, option))
                .collect(Collectors.joining("; "));
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(missing);
        }
    }

    private static boolean isBlank(Object value) {
        return value == null || value.toString().isBlank();
    }

    private static String elsewhere(DefaultEndpoint endpoint, String option) {
        var ofComponent = (PropertyConfigurerGetter) endpoint.getComponent().getComponentPropertyConfigurer();
        return ofComponent.getOptionType(option, true) == null
                ? ""
                : ": set it in the route, or the setting camel.component."
                        + StringHelper.before(endpoint.getEndpointUri(), ":") + "." + option + " for all routes";
    }

    /**
     * Refuses values that Camel would misread: it reads a wrong number as 0, and a time without a unit as milliseconds.
     *
     * @param parameters the options of an endpoint of the component
     * @throws IllegalArgumentException with all problems
     */
    public static void requireReadable(Component component, Map<String, Object> parameters) {
        var options = (PropertyConfigurerGetter) component.getEndpointPropertyConfigurer();
        String problems = new TreeMap<>(parameters)
                .entrySet().stream()
                        .filter(option -> options.getOptionType(option.getKey(), true) != null)
                        .flatMap(option -> OptionValue.problem(
                                options.getOptionType(option.getKey(), true), String.valueOf(option.getValue()))
                                .map(problem -> option.getKey() + " " + problem)
                                .stream())
                        .collect(Collectors.joining("; "));
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(problems);
        }
    }
}
