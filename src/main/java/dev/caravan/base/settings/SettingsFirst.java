package dev.caravan.base.settings;

import static java.util.regex.Matcher.quoteReplacement;

import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.PropertiesLookupListener;
import org.apache.camel.component.properties.DefaultPropertiesFunctionResolver;
import org.apache.camel.component.properties.DefaultPropertiesParser;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.component.properties.PropertiesLookup;
import org.apache.camel.spi.PropertiesFunction;

/** Where a Camel context looks for the value of {@code {{sms.url}}}, and what it takes as the value. */
public final class SettingsFirst {
    /** Values of options whose text Camel does not change, as it finds their ends. */
    private static final Pattern RAW = Pattern.compile("=RAW(?:\\(.*?\\)|\\{.*?})(?=&|$)", Pattern.DOTALL);

    /** Whether this thread replaces the placeholders of such a value. */
    private static final ThreadLocal<Boolean> IS_RAW = ThreadLocal.withInitial(() -> false);

    private SettingsFirst() {}

    /**
     * Makes settings take precedence over environment variables. By default, Camel reads {@code SMS_URL} first for {@code {{sms.url}}}:
     * messages would be sent to another address than that of the settings, which the demo and the checks use.
     *
     * <p>Keeps each {@code %25} of a value: in {@code RAW({{sms.url}})} Camel reads it as a percent sign.
     *
     * <p>Omits the line breaks at the end of a value. A secret that was read from a file often has one, and Camel refuses the address with it.
     */
    public static void in(CamelContext context) {
        in(context, (name, value, fallback, source) -> {});
    }

    /** The same, and reports each value: one of a function with the name of the function before it, as in {@code env:SMS_URL}. */
    public static void in(CamelContext context, PropertiesLookupListener found) {
        PropertiesComponent properties = (PropertiesComponent) context.getPropertiesComponent();
        properties.setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_FALLBACK);
        properties.addPropertiesLookupListener(found);
        Functions functions = new Functions(found);
        functions.setCamelContext(context);
        properties.setPropertiesFunctionResolver(functions);
        properties.setPropertiesParser(new Values(properties));
    }

    private static String value(String found) {
        if (found == null) {
            return null;
        }
        String value = found.replaceFirst("[\\r\\n]+$", "");
        return IS_RAW.get() ? value.replace("%25", "%2525") : value;
    }

    /** The functions of placeholders, such as {@code env} and those of components for mounted secrets and vaults. */
    private static final class Functions extends DefaultPropertiesFunctionResolver {
        private final PropertiesLookupListener found;

        Functions(PropertiesLookupListener found) {
            this.found = found;
        }

        @Override
        public PropertiesFunction resolvePropertiesFunction(String name) {
            PropertiesFunction function = super.resolvePropertiesFunction(name);
            return function == null ? null : new OfValues(function, found);
        }
    }

    private record OfValues(PropertiesFunction function, PropertiesLookupListener found) implements PropertiesFunction {
        @Override
        public String getName() {
            return function.getName();
        }

        @Override
        public String apply(String remainder) {
            String value = value(function.apply(remainder));
            if (value != null) {
                found.onLookup(getName() + ":" + remainder, value, null, getName());
            }
            return value;
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
        public String parseUri(
                String text,
                PropertiesLookup properties,
                boolean hasDefaults,
                boolean keepsOptional,
                boolean isNested) {
            UnaryOperator<String> parsed =
                    each -> super.parseUri(each, properties, hasDefaults, keepsOptional, isNested);
            return parsed.apply(RAW.matcher(text).replaceAll(value -> quoteReplacement(raw(value.group(), parsed))));
        }

        private static String raw(String value, UnaryOperator<String> parsed) {
            IS_RAW.set(true);
            try {
                return parsed.apply(value);
            } finally {
                IS_RAW.remove();
            }
        }

        @Override
        public String parseProperty(String key, String value, PropertiesLookup properties) {
            return value(super.parseProperty(key, value, properties));
        }
    }
}
