package dev.caravan.camel.step;

import dev.caravan.base.settings.OptionValue;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.camel.Component;
import org.apache.camel.spi.PropertyConfigurerGetter;

/** Checks the options of steps. */
public final class Options {
    private Options() {}

    /** @throws IllegalArgumentException if the option is missing or empty */
    public static String required(String option, String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the option " + option + " is missing or empty");
        }
        return value;
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
