package dev.caravan.base.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.CamelContext;
import org.apache.camel.component.log.LogEndpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.spi.PropertiesFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsFirstTest {
    /** Such as a secret of Kubernetes that is mounted as a file. */
    private static final class Mounted implements PropertiesFunction {
        @Override
        public String getName() {
            return "mounted";
        }

        @Override
        public String apply(String remainder) {
            return remainder.equals("url") ? "http://h/a%252Fb\r\n" : "hid\nden\r\n";
        }
    }

    @Test
    void the_line_break_at_the_end_of_a_secret_is_omitted_wherever_the_secret_is_from() throws Exception {
        try (CamelContext context = new DefaultCamelContext()) {
            SettingsFirst.in(context);
            context.getPropertiesComponent().addPropertiesFunction(new Mounted());
            context.getPropertiesComponent().addInitialProperty("a.password", "hidden\n");
            context.getPropertiesComponent().addInitialProperty("b.password", "{{mounted:b}}");
            context.build();

            assertThat(context.resolvePropertyPlaceholders(
                            "[{{a.password}}] [{{b.password}}] [{{mounted:c}}] [{{mounted:c:default}}]"))
                    .isEqualTo("[hidden] [hid\nden] [hid\nden] [hid\nden]");
        }
    }

    @Test
    void each_value_that_is_found_is_reported_with_its_function() throws Exception {
        Map<String, String> found = new TreeMap<>();
        try (CamelContext context = new DefaultCamelContext()) {
            SettingsFirst.in(context, (name, value, fallback, source) -> found.put(name, value));
            context.getPropertiesComponent().addPropertiesFunction(new Mounted());
            context.getPropertiesComponent().addInitialProperty("a.url", "http://a");
            context.build();
            found.clear();

            context.resolvePropertyPlaceholders(
                    "{{a.url}} {{mounted:c}} {{env:NO_SUCH_ONE:x}} {{none:y}} {{java.version}}");

            assertThat(found)
                    .isEqualTo(Map.of(
                            "a.url",
                            "http://a",
                            "mounted:c",
                            "hid\nden",
                            "env:NO_SUCH_ONE:x",
                            "x",
                            "none",
                            "y",
                            "java.version",
                            System.getProperty("java.version")));
        }
    }

    /** Within RAW(), Camel reads %25 as a percent sign. */
    @ParameterizedTest
    @CsvSource({
        "RAW({{url}}),                   http://h/a%252Fb?c=%25+d&e=%41",
        "RAW(http://h/{{part}}?f={{g}}), http://h/a%2525b?f=100%25",
        "RAW{{{nested}}},                http://h/a%252Fb?c=%25+d&e=%41#%25",
        "RAW({{mounted:url}}),           http://h/a%252Fb",
        "{{part}},                       a%25b"
    })
    void a_setting_has_the_same_value_in_an_option_of_an_endpoint(String option, String value) throws Exception {
        try (CamelContext context = new DefaultCamelContext()) {
            SettingsFirst.in(context);
            context.getPropertiesComponent().addPropertiesFunction(new Mounted());
            context.getPropertiesComponent().addInitialProperty("url", "http://h/a%252Fb?c=%25+d&e=%41\n");
            context.getPropertiesComponent().addInitialProperty("part", "a%2525b");
            context.getPropertiesComponent().addInitialProperty("g", "100%25");
            context.getPropertiesComponent().addInitialProperty("nested", "{{url}}#%25");
            context.start();

            assertThat(context.getEndpoint("log:any?level=INFO&marker=" + option, LogEndpoint.class)
                            .getMarker())
                    .isEqualTo(value);
        }
    }
}
