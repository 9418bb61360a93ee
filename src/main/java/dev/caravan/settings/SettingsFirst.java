package dev.caravan.settings;

import org.apache.camel.CamelContext;
import org.apache.camel.component.properties.PropertiesComponent;

/** The order in which a Camel context looks for the value of {@code {{sms.url}}}. */
public final class SettingsFirst {
    private SettingsFirst() {}

    /**
     * Makes settings take precedence over environment variables. By default, Camel reads {@code SMS_URL} first for {@code {{sms.url}}}:
     * messages would be sent to another address than that of the settings, which the demo and the checks use.
     */
    public static void in(CamelContext context) {
        ((PropertiesComponent) context.getPropertiesComponent())
                .setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_FALLBACK);
    }
}
