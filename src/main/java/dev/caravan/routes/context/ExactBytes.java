package dev.caravan.routes.context;

import java.util.Locale;
import org.apache.camel.CamelContext;
import org.apache.camel.component.file.GenericFileEndpoint;
import org.apache.camel.support.PropertyBindingSupport;

/**
 * Lets FTP transfer the bytes of files as they are, unless a step has the option {@code binary}. By default, Camel transfers text, in which client and
 * server change the line ends. It has no setting for all steps. Its component is in the folder {@code lib} of those who use it.
 */
public final class ExactBytes {
    private ExactBytes() {}

    /** Call it before Camel is initialized. */
    public static void in(CamelContext context) {
        context.getCamelContextExtension().registerEndpointCallback((uri, endpoint) -> {
            if (endpoint instanceof GenericFileEndpoint<?> files
                    && !uri.toLowerCase(Locale.ROOT).matches("(?s).*[?&]binary=.*")) {
                PropertyBindingSupport.build()
                        .bind(context, files.getConfiguration(), "binary", true); // if it has this option
            }
            return endpoint;
        });
    }
}
