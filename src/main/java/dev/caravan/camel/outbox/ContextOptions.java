package dev.caravan.camel.outbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.NearestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.spi.PropertyConfigurer;
import org.apache.camel.spi.PropertyConfigurerGetter;
import org.apache.camel.support.PropertyBindingSupport;
import org.apache.camel.util.StringHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Sets the options of the component from the properties {@code camel.component.outbox.*} of the context. Camel Main does this itself. Spring
 * Boot does it only for components with a starter, and a context without Main never does. Both spellings work: {@code leaseDuration} and
 * {@code lease-duration}.
 */
final class ContextOptions {
    private static final Logger LOG = LoggerFactory.getLogger(ContextOptions.class);
    private static final String METADATA = "/META-INF/dev/caravan/camel/outbox/outbox.json";
    private static final String PREFIX = "camel.component.outbox.";

    private final CamelContext context;
    private final PropertyConfigurer configurer;

    ContextOptions(CamelContext context, PropertyConfigurer configurer) {
        this.context = context;
        this.configurer = configurer;
    }

    /** Sets the options that still have their default; warns of properties that are no option. */
    void set(OutboxComponent component) {
        Set<String> names = all();
        var options = (PropertyConfigurerGetter) configurer;
        OutboxComponent unset = new OutboxComponent();
        Map<String, Object> given = new LinkedHashMap<>();
        for (String name : names) {
            Object value = options.getOptionValue(component, name, false);
            if (Objects.equals(value, options.getOptionValue(unset, name, false))) {
                value(name).ifPresent(text -> given.put(name, text));
            }
        }
        if (!given.isEmpty()) {
            PropertyBindingSupport.build()
                    .withCamelContext(context)
                    .withTarget(component)
                    .withProperties(given)
                    .withConfigurer(configurer)
                    .withMandatory(true)
                    .withRemoveParameters(false)
                    .bind();
        }
        warnOfUnknown(names);
    }

    /** The options in the metadata of the component. */
    private static Set<String> all() {
        Set<String> names = new TreeSet<>();
        try (var metadata = ContextOptions.class.getResourceAsStream(METADATA)) {
            new ObjectMapper()
                    .readTree(metadata)
                    .get("componentProperties")
                    .fieldNames()
                    .forEachRemaining(names::add);
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<String> value(String name) {
        var properties = context.getPropertiesComponent();
        return properties
                .resolveProperty(PREFIX + name)
                .or(() -> properties.resolveProperty(PREFIX + StringHelper.camelCaseToDash(name)))
                .filter(text -> !text.isBlank());
    }

    private void warnOfUnknown(Set<String> names) {
        Set<String> spelled = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.forEach(name -> spelled.add(plain(name)));
        names().forEach(name -> {
            if (!spelled.contains(plain(name))) {
                LOG.warn(
                        "The property {}{} is ignored, because the component outbox has no such option{}",
                        PREFIX,
                        name,
                        NearestName.suggestion(name, names, ""));
            }
        });
    }

    private static String plain(String name) {
        return name.replace("-", "");
    }

    /** The names behind the prefix, of the properties of the context, and of those of Spring, which a context of Spring Boot does not list. */
    private Set<String> names() {
        Set<String> names = new TreeSet<>();
        context.getPropertiesComponent()
                .loadProperties(name -> name.startsWith(PREFIX))
                .stringPropertyNames()
                .forEach(name -> names.add(name.substring(PREFIX.length())));
        var spring = context.getRegistry().lookupByNameAndType("environment", ConfigurableEnvironment.class);
        if (spring != null) {
            spring.getPropertySources().stream()
                    .filter(EnumerablePropertySource.class::isInstance)
                    .flatMap(source -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames()))
                    .filter(name -> name.startsWith(PREFIX))
                    .forEach(name -> names.add(name.substring(PREFIX.length())));
        }
        return names;
    }
}
