package dev.caravan.api;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.http.ApiHandler;
import dev.caravan.http.ConsoleFiles;
import dev.caravan.http.Guard;
import dev.caravan.http.HttpFailures;
import dev.caravan.http.HttpProblem;
import dev.caravan.http.ManagementSettings;
import dev.caravan.http.ProbedPool;
import dev.caravan.http.Workers;
import dev.caravan.monitoring.Sampler;
import dev.caravan.partition.Retention;
import dev.caravan.settings.Settings;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.component.platform.http.main.ManagementHttpServer;

/**
 * The operations and the console on the management server of Camel, in front of its own health and metrics. Handlers of
 * Vert.x and not routes of Camel: a message of the outbox never passes here, and the error handling of the routes is not for
 * requests.
 */
public final class ManagementServer implements AutoCloseable {
    private static final long MOST_BYTES = 1 << 20;
    private static final long SLOWEST_BODY_MILLIS = 10_000;
    private static final String TIMER = "timer of the body";
    /** Before the handlers of Camel, which count from 0. */
    private static final int FIRST = -10;

    private final Workers workers = new Workers();
    private final HikariDataSource pool;
    private final Operations operations;

    private ManagementServer(Settings settings, CamelContext context, Sampler sampler, Router router) {
        ManagementSettings management = ManagementSettings.from(settings);
        pool = Database.apiPool(settings);
        operations = new Operations(new ProbedPool(pool), Retention.from(settings), management, context, sampler);
        serve(router, management);
    }

    /** Empty when the management server is turned off. */
    public static Optional<ManagementServer> start(Settings settings, CamelContext context, Sampler sampler) {
        return Optional.ofNullable(context.hasService(ManagementHttpServer.class))
                .map(server -> new ManagementServer(settings, context, sampler, server.getRouter()));
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return ManagementSettings.settings();
    }

    /** The address to listen on. */
    public static String host(Settings settings) {
        return ManagementSettings.host(settings);
    }

    private void serve(Router router, ManagementSettings management) {
        router.route().order(FIRST).failureHandler(ManagementServer::failed);
        router.route().order(FIRST + 1).handler(new Guard(management));
        router.route("/").order(FIRST + 2).handler(ManagementServer::redirect);
        router.route("/console").order(FIRST + 3).handler(ManagementServer::redirect);
        router.route("/console/*").order(FIRST + 4).handler(new ConsoleFiles());
        router.route(HttpMethod.POST, "/api/*").order(FIRST + 5).handler(ManagementServer::hurry);
        router.route(HttpMethod.POST, "/api/*")
                .order(FIRST + 6)
                .handler(BodyHandler.create(false).setBodyLimit(MOST_BYTES));
        router.route(HttpMethod.POST, "/api/*").order(FIRST + 7).handler(ManagementServer::arrived);
        router.route("/api/*").order(FIRST + 8).handler(new ApiHandler(operations.all(), workers));
        router.route().last().handler(context -> {
            throw HttpProblem.missing("Nothing is served here; see /console/, /api/openapi.json and /observe/health.");
        });
    }

    /** Links within the console count on the slash at its end. */
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

    /** Who sends a body byte by byte must not keep a connection for ever. */
    private static void hurry(RoutingContext context) {
        long timer = context.vertx()
                .setTimer(
                        SLOWEST_BODY_MILLIS,
                        id -> context.fail(
                                new HttpProblem(408, "The body was not complete after 10 s. Nothing was changed.")));
        context.put(TIMER, timer);
        context.addEndHandler(end -> context.vertx().cancelTimer(timer));
        context.next();
    }

    private static void arrived(RoutingContext context) {
        context.vertx().cancelTimer(context.<Long>get(TIMER));
        context.next();
    }

    private static void failed(RoutingContext context) {
        if (context.failure() instanceof HttpProblem problem) {
            ApiHandler.refuse(context, problem);
        } else if (context.statusCode() == 413) {
            ApiHandler.refuse(context, new HttpProblem(413, "A body may have at most 1 MB. Nothing was changed."));
        } else if (context.statusCode() >= 400 && context.statusCode() < 500) {
            ApiHandler.refuse(context, HttpProblem.wrong("The request cannot be read."));
        } else {
            ApiHandler.refuse(context, HttpFailures.problem(context.failure(), "a request"));
        }
    }

    /** Jobs end between two steps; what is done stays done. */
    @Override
    public void close() {
        operations.close();
        workers.close();
        pool.close();
    }
}
