package dev.caravan.camel.guard;

import dev.caravan.camel.step.FieldCopy;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Expression;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.GenericFileEndpoint;
import org.apache.camel.spi.EndpointStrategy;

/**
 * Checks the names that an endpoint computes for messages of an outbox with its options {@code fileName}, {@code tempFileName} and
 * {@code tempPrefix}: {@code file:}, {@code ftp:}, {@code sftp:} and others. Camel would only require that a name stays in the folder of the endpoint.
 * Appends to a local file as {@link WholeEntries} does.
 */
public final class FileNames implements EndpointStrategy {
    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof GenericFileEndpoint<?> file) {
            check(endpoint.getCamelContext(), file.getFileName(), file::setFileName);
            check(endpoint.getCamelContext(), file.getTempFileName(), file::setTempFileName);
        }
        if (endpoint instanceof FileEndpoint local) {
            FieldCopy.set(FileEndpoint.class, "operations", local, new WholeEntries(local));
        }
        return endpoint;
    }

    private static void check(CamelContext context, Expression name, Consumer<Expression> set) {
        if (name != null) {
            set.accept(CheckedAddress.ofFileName(context, name));
        }
    }
}
