package dev.caravan.base.settings;

import org.apache.camel.CamelContext;
import org.apache.camel.component.properties.DefaultPropertiesFunctionResolver;
import org.apache.camel.component.properties.DefaultPropertiesParser;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.component.properties.PropertiesLookup;
import org.apache.camel.spi.PropertiesFunction;

/** Where a Camel context looks for the value of {@code {{sms.url}}}, and what it takes as the value. */
public final class SettingsFirst {
    private SettingsFirst() {}

    /**
     * Makes settings take precedence over environment variables. By default, Camel reads {@code SMS_URL} first for {@code {{sms.url}}}:
     * messages would be sent to another address than that of the settings, which the demo and the checks use.
     *
     * <p>Omits the line breaks at the end of a value. A secret that was read from a file often has one, and Camel refuses the address with it.
     */
    public static void in(CamelContext context) {
        PropertiesComponent properties = (PropertiesComponent) context.getPropertiesComponent();
        properties.setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_FALLBACK);
        properties.setPropertiesFunctionResolver(new Functions());
        properties.setPropertiesParser(new Values(properties));
    }

    private static String withoutLineEnd(String value) {
        return value == null ? null : value.replaceFirst("[\\r\\n]+$", "");
    }

    /** The functions of placeholders, such as {@code env} and those of components for mounted secrets and vaults. */
    private static final class Functions extends DefaultPropertiesFunctionResolver {
        @Override
        public PropertiesFunction resolvePropertiesFunction(String name) {
            PropertiesFunction function = super.resolvePropertiesFunction(name);
            return function == null ? null : new WithoutLineEnd(function);
        }
    }

    private record WithoutLineEnd(PropertiesFunction function) implements PropertiesFunction {
        @Override
        public String getName() {
            return function.getName();
        }

        @Override
        public String apply(String remainder) {
            return withoutLineEnd(function.apply(remainder));
        }

        @Override
        public boolean lookupFirst(String remainder) {
            return function.lookupFirst(remainder);
        }

        @Override
        public boolean optional(String remainder) {
            return function.optional(remainder);
        }
    }

    /** Settings, and variables that have the name of a setting. */
    private static final class Values extends DefaultPropertiesParser {
        Values(PropertiesComponent properties) {
            super(properties);
        }

        @Override
        public String parseProperty(String key, String value, PropertiesLookup properties) {
            return withoutLineEnd(super.parseProperty(key, value, properties));
        }
    }
}
