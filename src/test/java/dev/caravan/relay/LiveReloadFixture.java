package dev.caravan.relay;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsFirst;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.FilesNotLoaded;
import dev.caravan.routes.context.RouteFiles;
import dev.caravan.routes.tryout.Lookups;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.camel.support.SimpleEventNotifierSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Routes of a folder in a running Camel context, and a reload that checks for changes when the test calls it. */
abstract class LiveReloadFixture {
    @TempDir
    Path path;

    final CamelContext context = new DefaultCamelContext();

    /** The ids of the routes, in the order of their starts. */
    final List<String> starts = new ArrayList<>();

    static final String SECRET = "Sk_Live-Abc123+Def/456==";

    private final Lookups lookups = new Lookups(Settings.of(Map.of("partner.key", SECRET)));
    final AtomicLong time = new AtomicLong();
    final FilesNotLoaded notLoaded = new FilesNotLoaded();
    RouteFolder folder;
    LiveReload reload;

    @BeforeEach
    void prepare() {
        folder = new RouteFolder(path);
        SettingsFirst.in(context, lookups);
        context.getPropertiesComponent().addInitialProperty("partner.key", SECRET);
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    static String java(String body) {
        return """
                public class Orders extends org.apache.camel.builder.RouteBuilder {
                    public void configure() {
                        from("direct:orders").routeId("orders")
                                .setBody(constant(%s));
                    }
                }
                """.formatted(body);
    }

    static String template(String answer) {
        return """
                - routeTemplate:
                    id: answers
                    parameters:
                      - name: name
                    from:
                      uri: "direct:{{name}}"
                      steps:
                        - setBody: {expression: {constant: {expression: %s}}}
                """.formatted(answer);
    }

    /** Loads the folder as a relay does at its start. */
    void start() throws Exception {
        var files = BuiltInRoutes.with(RouteFiles.in(folder.path()));
        for (var file : files.entrySet()) {
            PluginHelper.getRoutesLoader(context)
                    .loadRoutes(ResourceHelper.resolveMandatoryResource(
                            context, BuiltInRoutes.location(folder.path(), file.getKey(), file.getValue())));
        }
        context.start();
        context.getManagementStrategy().addEventNotifier(new SimpleEventNotifierSupport() {
            @Override
            public void notify(org.apache.camel.spi.CamelEvent event) {
                if (event instanceof org.apache.camel.spi.CamelEvent.RouteStartedEvent started
                        && isOfTheFolder(started.getRoute())) {
                    starts.add(started.getRoute().getRouteId());
                }
            }
        });
        reload = new LiveReload(
                folder.path(),
                new LoadedFiles(context, folder.path(), files, lookups, time::get),
                ChangedSettings.since(folder.path()),
                notLoaded);
    }

    /** The ids of the routes that are not built in. */
    List<String> routes() {
        return context.getRoutes().stream()
                .filter(LiveReloadFixture::isOfTheFolder)
                .map(Route::getRouteId)
                .toList();
    }

    private static boolean isOfTheFolder(Route route) {
        return route.getSourceResource().getLocation().startsWith("file:");
    }

    void lookTwice() {
        reload.look();
        reload.look();
    }

    String answer(String route) {
        try (var template = context.createProducerTemplate()) {
            return template.requestBody("direct:" + route, "", String.class);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static String route(String id, String answer) {
        return """
                - route:
                    id: %1$s
                    from:
                      uri: direct:%1$s
                      steps:
                        - setBody:
                            expression:
                              constant:
                                expression: "%2$s"
                """.formatted(id, answer);
    }
}
