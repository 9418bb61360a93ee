package dev.caravan.camel.outbox;

import dev.caravan.base.settings.SecretNames;
import dev.caravan.base.settings.Unescaped;
import dev.caravan.base.settings.UrlSecrets;
import dev.caravan.base.text.LastText;
import java.util.BitSet;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.PropertiesLookupListener;

/**
 * The secrets of a Camel context: of its settings, of this process, and of the placeholders that routes use. An error quotes them if a step has
 * them in an expression or a statement.
 */
final class SettingSecrets implements PropertiesLookupListener {
    /** In each form in which a text may have them. */
    private final Set<String> forms = ConcurrentHashMap.newKeySet();

    /** Of databases: a driver quotes parts of them. */
    private final Set<String> urls = ConcurrentHashMap.newKeySet();

    private final LastText texts = new LastText(this::withoutSecrets);
    private final LastText answers = new LastText(this::withoutSecrets);
    private final LastText stacks = new LastText(this::withoutSecrets);
    private final LastText steps = new LastText(this::withoutSecrets);

    private SettingSecrets(Properties settings) {
        add(Stream.concat(SecretNames.ofProcess(), SecretNames.ofProperties(settings)));
        settings.stringPropertyNames().forEach(name -> addUrl(settings.getProperty(name, "")));
    }

    /** Those of a context. The first call has to be made before its routes use placeholders. */
    static SettingSecrets of(CamelContext context) {
        var plugins = context.getCamelContextExtension();
        SettingSecrets secrets = plugins.getContextPlugin(SettingSecrets.class);
        if (secrets == null) {
            var properties = context.getPropertiesComponent();
            secrets = new SettingSecrets(properties.loadProperties());
            properties.addPropertiesLookupListener(secrets);
            plugins.addContextPlugin(SettingSecrets.class, secrets);
        }
        return secrets;
    }

    private void add(Stream<String> values) {
        values.flatMap(Unescaped::forms).forEach(forms::add);
    }

    private void addUrl(String value) {
        if (value.startsWith("jdbc:")) {
            urls.add(value);
        }
    }

    @Override
    public void onLookup(String name, String value, String defaultValue, String source) {
        if (value != null) {
            addUrl(value);
        }
        if (value != null && SecretNames.isSecretPlaceholder(name)) {
            add(SecretNames.hidden(value));
        }
    }

    /** The text of an error without the secrets; null for null. */
    String text(String text) {
        return texts.of(text);
    }

    /** The same for the answer of a destination. */
    String answer(String text) {
        return answers.of(text);
    }

    /** The same for a stack trace. */
    String stack(String text) {
        return stacks.of(text);
    }

    /** The same for the address of a step. */
    String step(String text) {
        return steps.of(text);
    }

    private String withoutSecrets(String text) {
        BitSet hidden = new BitSet();
        Unescaped.of(text).find(forms, hidden);
        return UrlSecrets.without(urls.stream(), hidden.isEmpty() ? text : Unescaped.masked(text, hidden));
    }
}
