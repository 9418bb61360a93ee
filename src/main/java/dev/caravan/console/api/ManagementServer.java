package dev.caravan.console.api;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.console.http.ApiHandler;
import dev.caravan.console.http.Authentication;
import dev.caravan.console.http.BodyMemory;
import dev.caravan.console.http.ConsoleFiles;
import dev.caravan.console.http.Guard;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.console.http.ProbedPool;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.console.http.Workers;
import dev.caravan.console.identity.PeopleSettings;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.OutboxSurvey;
import dev.caravan.operate.watch.Sampler;
import dev.caravan.routes.context.FilesNotLoaded;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.platform.http.main.ManagementHttpServer;

/**
 * Adds the API and the console to Camel's management server, before Camel's own health and metrics handlers. They are Vert.x
 * handlers and not Camel routes, because the error handling of the routes must not apply to requests.
 */
public final class ManagementServer implements AutoCloseable {
    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final long BODY_TIMEOUT_MILLIS = 10_000;
    private static final String TIMER = "body timer";
    /** Lower than the order of Camel's handlers, which starts at 0. */
    private static final int FIRST_ORDER = -20;

    private final Workers workers = new Workers();
    private final HikariDataSource pool;
    private final Operations operations;
    private final OtherOutboxes others;
    private final ApiHandler api;

    private ManagementServer(
            Settings settings,
            CamelContext context,
            ServedBy by,
            Sampler sampler,
            RecentSamples samples,
            Router router) {
        ManagementSettings management = ManagementSettings.from(settings);
        pool = Database.apiPool(settings);
        DataSource database = new ProbedPool(pool);
        OutboxSurvey survey = new OutboxSurvey(Database.forSurvey(settings), sampler::latest, samples, Clock.SYSTEM);
        operations = new Operations(
                database,
                settings,
                management,
                by,
                Observed.own(sampler, samples, FilesNotLoaded.of(context)),
                survey,
                Retention.from(settings));
        others = new OtherOutboxes(database, settings, management, by, survey);
        api = new ApiHandler(
                Stream.concat(operations.all().stream(), others.all(operations.ofAnOutbox()).stream())
                        .toList(),
                OutboxSchema.of(settings).name(),
                workers,
                new ChangeMeters(registry(context), operations.kindsOfChange())::changed);
        serve(context, router, settings, management, database);
    }

    /**
     * Adds the handlers. Empty when the management server is disabled.
     *
     * @param context that of the server
     * @param samples the recent samples of the sampler
     */
    public static Optional<ManagementServer> start(
            Settings settings, CamelContext context, ServedBy by, Sampler sampler, RecentSamples samples) {
        return Optional.ofNullable(context.hasService(ManagementHttpServer.class))
                .map(server -> new ManagementServer(settings, context, by, sampler, samples, server.getRouter()));
    }

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return Stream.of(ManagementSettings.settings(), PeopleSettings.settings())
                .flatMap(List::stream)
                .toList();
    }

    /** The listen address. */
    public static String host(Settings settings) {
        return ManagementSettings.host(settings);
    }

    /** The address of the console for a browser on this machine. */
    public static String console(Settings settings) {
        String host = host(settings).replaceFirst("^(0\\.0\\.0\\.0|127\\.0\\.0\\.1|\\[?::1?]?)$", "localhost");
        return "http://" + host + ":" + settings.text("camel.management.port", "9876") + "/console/";
    }

    private void serve(
            CamelContext context,
            Router router,
            Settings settings,
            ManagementSettings management,
            DataSource database) {
        Authentication people = PeopleSettings.authentication(settings, database);
        router.route().order(FIRST_ORDER).failureHandler(ManagementServer::failed);
        router.route().order(FIRST_ORDER + 1).handler(new Guard(management, people));
        router.route(settings.text("camel.management.metricsPath", "/observe/metrics"))
                .order(FIRST_ORDER + 2)
                .handler(TimedConnections::longer);
        router.route(HttpMethod.HEAD, "/observe/*").order(FIRST_ORDER + 2).handler(ManagementServer::head);
        router.route("/").order(FIRST_ORDER + 2).handler(ManagementServer::redirect);
        router.route("/console").order(FIRST_ORDER + 3).handler(ManagementServer::redirect);
        router.route("/console/*").order(FIRST_ORDER + 4).handler(new ConsoleFiles());
        router.route("/auth/*").order(FIRST_ORDER + 4).handler(people::page);
        router.route(HttpMethod.POST, "/api/*").order(FIRST_ORDER + 5).handler(api::admit);
        router.route(HttpMethod.POST, "/api/*").order(FIRST_ORDER + 6).handler(new BodyMemory(MAX_BODY_BYTES));
        router.route(HttpMethod.POST, "/api/*").order(FIRST_ORDER + 7).handler(ManagementServer::startBodyTimer);
        router.route(HttpMethod.POST, "/api/*")
                .order(FIRST_ORDER + 8)
                .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES));
        router.route(HttpMethod.POST, "/api/*").order(FIRST_ORDER + 9).handler(ManagementServer::stopBodyTimer);
        router.route("/api/*").order(FIRST_ORDER + 10).handler(api);
        router.route().last().handler(request -> {
            throw HttpProblem.missing("Not found. See /console/, /api/openapi.json and /observe/health.");
        });
    }

    private static Optional<MeterRegistry> registry(CamelContext context) {
        return Optional.ofNullable(context.getRegistry()
                .lookupByNameAndType(MicrometerConstants.METRICS_REGISTRY_NAME, MeterRegistry.class));
    }

    /** Answers a HEAD request like GET, the only method that Camel's handlers support. The server omits the body. */
    private static void head(RoutingContext context) {
        context.reroute(HttpMethod.GET, context.normalizedPath());
    }

    /** Redirects to the path with a final slash, on which relative links of the console depend. */
    private static void redirect(RoutingContext context) {
        if (context.normalizedPath().equals("/console/")) {
            context.next();
        } else {
            context.response()
                    .setStatusCode(302)
                    .putHeader("Location", "/console/")
                    .end();
        }
    }

    /** Closes a request whose body is not complete after 10 s. */
    private static void startBodyTimer(RoutingContext context) {
        long timer = context.vertx()
                .setTimer(
                        BODY_TIMEOUT_MILLIS,
                        id -> context.fail(
                                new HttpProblem(408, "The body was not complete after 10 s. Nothing was changed.")));
        context.put(TIMER, timer);
        context.addEndHandler(end -> context.vertx().cancelTimer(timer));
        context.next();
    }

    private static void stopBodyTimer(RoutingContext context) {
        context.vertx().cancelTimer(context.<Long>remove(TIMER));
        context.next();
    }

    private static void failed(RoutingContext context) {
        if (context.failure() instanceof HttpProblem problem) {
            ApiHandler.refuse(context, problem);
        } else if (context.statusCode() == 413) {
            ApiHandler.refuse(context, new HttpProblem(413, "The body is larger than 1 MiB. Nothing was changed."));
        } else if (context.get(TIMER) != null || context.statusCode() >= 400 && context.statusCode() < 500) {
            ApiHandler.refuse(context, HttpProblem.wrong("Could not read the request."));
        } else {
            ApiHandler.refuse(context, HttpFailures.problem(context.failure(), "a request"));
        }
    }

    /** Stops the jobs after their current step. */
    @Override
    public void close() {
        operations.close();
        others.close();
        workers.close();
        api.close();
        pool.close();
    }
}
