package dev.caravan;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.camel.CamelContext;
import org.apache.camel.Component;
import org.apache.camel.support.PropertyBindingSupport;

/** Sets the options of components that are settings, as Camel Main does for a relay, in a context without it. */
public final class ComponentSettings {
    private static final Pattern NAME = Pattern.compile("camel\\.component\\.([^.]+)\\.(.+)");

    private ComponentSettings() {}

    /** @param settings of any names; those of components that the context does not have are ignored */
    public static void set(CamelContext camel, Map<?, ?> settings) {
        settings.forEach((name, value) -> {
            Matcher setting = NAME.matcher(name.toString());
            Component component =
                    setting.matches() && !value.toString().isEmpty() ? camel.getComponent(setting.group(1)) : null;
            if (component != null) {
                PropertyBindingSupport.build()
                        .withCamelContext(camel)
                        .withTarget(component)
                        .withConfigurer(component.getComponentPropertyConfigurer())
                        .withProperty(setting.group(2), value)
                        .bind();
            }
        });
    }
}
