package dev.caravan.routes.context;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.ErrorText;
import dev.caravan.routes.component.CatalogOfComponents;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.camel.NoSuchEndpointException;
import org.apache.camel.util.URISupport;

/** Why Camel refused a setting, a route or an endpoint. */
public final class CamelReason {
    /** Camel's message about a placeholder, such as {@code {{partner.url}}}, that nothing defines. */
    private static final Pattern MISSING_SETTING = Pattern.compile(
            "Property with key \\[([^]]+)] (?:not found in properties|using function \\[env] returned null).*");

    private static final Pattern UNKNOWN_OPTIONS = Pattern.compile("Unknown parameters=\\[\\{(.*)}]", Pattern.DOTALL);
    /** Camel's message about a class as the ref of the step bean, which the step process accepts. */
    private static final Pattern BEAN_CLASS =
            Pattern.compile("No bean could be found in the registry for: #class:([\\w.$]+)");

    /** Camel's message about a setting that a component does not have, or whose value it cannot use. */
    private static final Pattern BINDING = Pattern.compile("Error binding property \\(([\\w.-]+)=.*", Pattern.DOTALL);

    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-z0-9]{0,20}(?:[-+.][a-z0-9]{1,20}){0,3}:");

    private static final Pattern OPTION = Pattern.compile("(?:^|, )([\\w.-]+)=");

    private CamelReason() {}

    /**
     * The message of the root cause on one line, without a final period. The other exceptions only repeat the location. For a
     * missing setting or component it says what to do.
     */
    public static String of(Throwable thrown) {
        Throwable root = Causes.root(thrown);
        if (root instanceof URISyntaxException wrong) {
            return wrong.getReason() + position(wrong); // its message contains the address with all secrets
        }
        if (root.getMessage() == null) {
            return root.getClass().getSimpleName();
        }
        String message =
                root.getMessage().strip().replaceAll("\\s*\\R\\s*", " ").replaceFirst("\\.$", "");
        if (root instanceof NoSuchEndpointException missing) {
            message = withoutAddress(missing, message);
        }
        if (root instanceof UnknownHostException) {
            return "unknown host " + message;
        }
        if (message.startsWith("Missing {{ from the text")) {
            return "contains }} that does not end a placeholder. Write it as } }";
        }
        Matcher bean = BEAN_CLASS.matcher(message);
        if (bean.find()) {
            return "the step bean has the name of a class in beanType, not in ref. Write beanType: " + bean.group(1);
        }
        return CatalogOfComponents.explained(withMissingSetting(ErrorText.withoutSecrets(withoutValues(message))));
    }

    private static String position(URISyntaxException wrong) {
        return wrong.getIndex() < 0 ? " in the address" : " at character " + (wrong.getIndex() + 1) + " of the address";
    }

    /** Camel's message without the address, in which settings are resolved: a setting with a secret may be in the wrong place. */
    private static String withoutAddress(NoSuchEndpointException missing, String message) {
        String address = URISupport.sanitizeUri(missing.getUri());
        String begin = address.substring(0, address.indexOf(':') + 1);
        return message.replace(address, (SCHEME.matcher(begin).matches() ? begin : "") + "•••");
    }

    /** Camel's message about unknown options without their values, which may be secrets. */
    private static String withoutValues(String message) {
        Matcher binding = BINDING.matcher(message);
        if (binding.find()) {
            return message.substring(0, binding.start()) + "the setting " + binding.group(1)
                    + " is unknown, or its value cannot be used";
        }
        Matcher unknown = UNKNOWN_OPTIONS.matcher(message);
        return unknown.find()
                ? message.substring(0, unknown.start(1))
                        + OPTION.matcher(unknown.group(1))
                                .results()
                                .map(option -> option.group(1) + "=•••")
                                .collect(Collectors.joining(", "))
                        + message.substring(unknown.end(1))
                : message;
    }

    private static String withMissingSetting(String message) {
        Matcher missing = MISSING_SETTING.matcher(message);
        if (!missing.find()) {
            return message;
        }
        String name = missing.group(1);
        return message.substring(0, missing.start())
                + (name.startsWith("env:")
                        ? "the environment variable " + name.substring("env:".length()) + " is not set"
                        : "the setting " + name
                                + " is missing. Write it into application.properties, or into a *.properties file in the routes folder");
    }
}
