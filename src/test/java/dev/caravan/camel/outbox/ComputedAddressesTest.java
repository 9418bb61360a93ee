package dev.caravan.camel.outbox;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.language.ConstantExpression;
import org.apache.camel.model.language.SimpleExpression;
import org.apache.camel.support.ExpressionAdapter;

/** Addresses that steps compute from a message: the one that is checked is the one that is used, and each one is checked. */
class ComputedAddressesTest extends UserRoutes {
    private static final String SETTING = "direct:end?x={{sys:user.name}}";

    /** What an expression may return instead of one address. */
    private static final Map<String, Function<String, Object>> SEVERAL = Map.of(
            "a list", other -> List.of("direct:end", other),
            "an array", other -> new String[] {"direct:end", other},
            "an iterator", other -> List.of("direct:end", other).iterator(),
            "a text", other -> "direct:end," + other,
            "a stream", other -> new ByteArrayInputStream(("direct:end," + other).getBytes(StandardCharsets.UTF_8)));

    ComputedAddressesTest() {
        route("toD, once", route -> route.toD("${bean:once}"), "fails: FAILED", "fine: DELIVERED");
        once("recipientList", (route, address) -> route.recipientList(address));
        once("routingSlip", (route, address) -> route.routingSlip(address));
        once("dynamicRouter", (route, address) -> route.dynamicRouter(address));
        once("enrich", (route, address) -> route.enrich().expression(address).end());
        once("recipientList in doTry", (route, address) -> route.doTry()
                .recipientList(address)
                .endDoTry()
                .doCatch(IOException.class)
                .end());
        SEVERAL.forEach((kind, several) -> {
            route(
                    "recipientList, " + kind,
                    route -> route.recipientList(returning(exchange -> several.apply(SETTING))),
                    "fine: DEAD");
            route(
                    "recipientList, " + kind + " without a placeholder",
                    route -> route.recipientList(returning(exchange -> several.apply("direct:0"))),
                    "fails: FAILED",
                    "fine: DELIVERED");
        });
        route(
                "dynamicRouter, the second address",
                route -> route.dynamicRouter(returning(exchange -> switch (asked(exchange)) {
                    case 0 -> "direct:end";
                    case 1 -> SETTING;
                    default -> null;
                })),
                "fine: DEAD");
        route(
                "a file outside of the folder of its step",
                route -> route.to("file:target/files?fileName=../${body}"),
                "fine: DEAD");
        route(
                "a file whose name is too long",
                route -> route.to("file:target/files?fileName=${body}" + "a".repeat(300)),
                "fine: DEAD");
        route("toD", route -> route.toD("direct:${bean:setting}"), "fine: DEAD");
        Map.of(",", "a,direct:0,log:(", ";", "a;direct:0;log:")
                .forEach((delimiter, value) -> route(
                        "the text of another address, " + (delimiter.equals(",") ? "comma" : "semicolon"),
                        route -> route.setHeader("x", new ConstantExpression(value))
                                .recipientList(new SimpleExpression("log:a?loggerName=RAW(${header.x})"), delimiter)
                                .end(),
                        "fails: DELIVERED",
                        "fine: DELIVERED"));
        Map.of(
                        "sql:delete from a where b = '${header.x}'",
                        "' or 'a' = 'a",
                        "smtp://localhost:1?to=Bob <${header.x}>",
                        "c@d.e>, <f@g.h")
                .forEach((address, value) -> route(
                        "the second address, " + address,
                        route -> route.setHeader("x", new ConstantExpression(value))
                                .recipientList(new SimpleExpression("log:a; " + address), ";"),
                        "fine: DEAD"));
        for (String begin : List.of("${", "$simple{")) {
            route(
                    "another path, " + begin,
                    route -> route.setHeader("x", new ConstantExpression("../y"))
                            .toD("file:target/files/" + begin + "header.x}"),
                    "fine: DEAD");
            route(
                    "another file, " + begin,
                    route -> route.setHeader("x", new ConstantExpression("/y"))
                            .to("file:target/files?fileName=" + begin + "header.x}.json"),
                    "fine: DEAD");
        }
    }

    @Override
    void prepare(CamelContext camel) {
        camel.getRegistry().bind("once", new Once());
        camel.getRegistry().bind("setting", new Setting());
    }

    /** An expression with the address of the first destination at its first evaluation, and none at the next ones. */
    private void once(String name, BiConsumer<RouteDefinition, Expression> step) {
        route(
                name + ", once",
                route -> step.accept(route, returning(exchange -> asked(exchange) == 0 ? "direct:0" : null)),
                "fails: FAILED",
                "fine: DELIVERED");
    }

    /** How often it was called for an exchange. */
    private static int asked(Exchange exchange) {
        int before = exchange.getProperty("asked", 0, Integer.class);
        exchange.setProperty("asked", before + 1);
        return before;
    }

    private static Expression returning(Function<Exchange, Object> address) {
        return new ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return address.apply(exchange);
            }
        };
    }

    /** A bean. */
    public static final class Once {
        public String address(Exchange exchange) {
            return asked(exchange) == 0 ? "direct:0" : "direct:end";
        }
    }

    /** A bean. */
    public static final class Setting {
        public String address() {
            return SETTING.replace("direct:", "");
        }
    }
}
