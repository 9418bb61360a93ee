package dev.caravan.routes.context;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.camel.guard.AddressQuery;
import dev.caravan.camel.guard.MethodsOfValues;
import dev.caravan.database.UselessConnection;
import java.util.Locale;
import java.util.Map;
import org.apache.camel.Endpoint;
import org.apache.camel.component.file.GenericFileEndpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.impl.engine.DefaultInjector;
import org.apache.camel.spi.Injector;
import org.apache.camel.spi.Registry;
import org.apache.camel.support.EndpointHelper;
import org.apache.camel.support.PropertyBindingSupport;

/** A Camel context with what Camel has no settings for: what endpoints and pools do unless a route or a setting says otherwise. */
public class RelayContext extends DefaultCamelContext {
    /** Creates a context that is not built yet. */
    public RelayContext(Registry registry) {
        super(false);
        getCamelContextExtension().setRegistry(registry);
        getCamelContextExtension().registerEndpointCallback((uri, endpoint) -> withExactBytes(uri, endpoint));
        ExactNumbers.in(this);
        MethodsOfValues.bind(this);
    }

    /** Lets FTP transfer the bytes of files as they are. Camel's default is a text, in which client and server change the line ends. */
    private Endpoint withExactBytes(String uri, Endpoint endpoint) {
        if (endpoint instanceof GenericFileEndpoint<?> files
                && !uri.toLowerCase(Locale.ROOT).matches("(?s).*[?&]binary=.*")) {
            PropertyBindingSupport.build()
                    .bind(this, files.getConfiguration(), "binary", true); // if it has this option
        }
        return endpoint;
    }

    /** The query of an address of HTTP arrives as it is written. */
    @Override
    protected Endpoint doGetEndpoint(
            String uri, Map<String, Object> parameters, boolean normalized, boolean prototype) {
        String address = normalized || uri == null
                ? uri
                : AddressQuery.asWritten(EndpointHelper.resolveEndpointUriPropertyPlaceholders(this, uri));
        return super.doGetEndpoint(address, parameters, normalized, prototype);
    }

    /** Pools do not keep a connection whose server has become read-only. */
    @Override
    protected Injector createInjector() {
        return new DefaultInjector(this) {
            @Override
            public <T> T newInstance(Class<T> type, boolean postProcessBean) {
                T bean = super.newInstance(type, postProcessBean);
                if (bean instanceof HikariDataSource pool) {
                    pool.setExceptionOverride(new UselessConnection(pool));
                }
                return bean;
            }
        };
    }
}
