package dev.caravan.routes.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class CamelMainTest {
    @Test
    void a_setting_takes_precedence_over_an_environment_variable_of_its_name() throws Exception {
        Properties settings = new Properties();
        settings.setProperty("camel.main.routesIncludePattern", "false");
        settings.setProperty("path", "mine");
        CamelMain main = new CamelMain(getClass().getClassLoader());
        main.setDefaultPropertyPlaceholderLocation("false");
        main.setInitialProperties(settings);
        try {
            main.init();

            assertThat(System.getenv("PATH")).isNotNull();
            assertThat(main.getCamelContext().resolvePropertyPlaceholders("{{path}}"))
                    .isEqualTo("mine");
        } finally {
            main.stop();
        }
    }
}
