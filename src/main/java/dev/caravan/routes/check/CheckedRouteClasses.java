package dev.caravan.routes.check;

import java.util.ArrayList;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.RoutesBuilder;

/** Checks the classes with routes that settings name. Camel only warns of a class that does not exist. */
final class CheckedRouteClasses {
    static final String SETTING = "camel.main.routesBuilderClasses";

    private final CamelContext context;

    CheckedRouteClasses(CamelContext context) {
        this.context = context;
    }

    List<CheckResult> findings() {
        List<CheckResult> findings = new ArrayList<>();
        String names = context.getPropertiesComponent().resolveProperty(SETTING).orElse("");
        for (String name : names.split(",")) {
            if (!name.isBlank() && !isRouteBuilder(name.strip())) {
                findings.add(CheckResult.problem(
                        "routes",
                        SETTING,
                        "class " + name.strip()
                                + " is neither in lib nor a RouteBuilder. Correct the name, or put its jar"
                                + " into lib"));
            }
        }
        return findings;
    }

    private boolean isRouteBuilder(String name) {
        Class<?> found = context.getClassResolver().resolveClass(name);
        return found != null && RoutesBuilder.class.isAssignableFrom(found);
    }
}
