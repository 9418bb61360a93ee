package dev.caravan.settings;

import org.apache.camel.CamelContext;
import org.apache.camel.component.properties.PropertiesComponent;

/** The order in which a Camel context looks for the value of {@code {{sms.url}}}. */
public final class SettingsFirst {
    private SettingsFirst() {}

    /**
     * Lets settings take precedence over environment variables. By default Camel reads {@code SMS_URL} for {@code {{sms.url}}} first: messages
     * would go elsewhere than the settings, the demo and the checks say.
     */
    public static void in(CamelContext context) {
        ((PropertiesComponent) context.getPropertiesComponent())
                .setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_FALLBACK);
    }
}
