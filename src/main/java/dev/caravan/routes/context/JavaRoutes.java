package dev.caravan.routes.context;

import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.dsl.support.RouteBuilderLoaderSupport;
import org.apache.camel.spi.Resource;

/**
 * Loads a Java file with one {@link RouteBuilder}. Compiles it each time, so that a changed file is loaded like a changed YAML file. Camel's
 * own loader (camel-java-joor-dsl) finds no class in the folder lib, and gives no reason when it fails because Java has no compiler.
 */
public final class JavaRoutes extends RouteBuilderLoaderSupport {
    public JavaRoutes() {
        super("java");
    }

    @Override
    protected RouteBuilder doLoadRouteBuilder(Resource resource) throws Exception {
        ClassLoader loader = getCamelContext().getApplicationContextClassLoader();
        Class<?> compiled = JavaSource.of(resource.getLocation(), text(resource))
                .compiled(loader == null ? JavaRoutes.class.getClassLoader() : loader);
        if (!RouteBuilder.class.isAssignableFrom(compiled)) {
            throw new IllegalArgumentException(
                    "class " + compiled.getName()
                            + " does not extend org.apache.camel.builder.RouteBuilder. Put classes without routes into a jar in lib");
        }
        if (!Modifier.isPublic(compiled.getModifiers()) || compiled.getConstructors().length == 0) {
            throw new IllegalArgumentException(
                    "class " + compiled.getName() + " must be public and have a public constructor without arguments");
        }
        return (RouteBuilder) getCamelContext().getInjector().newInstance(compiled, false);
    }

    private static String text(Resource resource) throws IOException {
        try (InputStream in = resource.getInputStream()) {
            return TextFile.unmarked(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
