package dev.caravan.base.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.spi.PropertiesFunction;
import org.junit.jupiter.api.Test;

class SettingsFirstTest {
    /** Such as a secret of Kubernetes that is mounted as a file. */
    private static final class Mounted implements PropertiesFunction {
        @Override
        public String getName() {
            return "mounted";
        }

        @Override
        public String apply(String remainder) {
            return "hid\nden\r\n";
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
}
