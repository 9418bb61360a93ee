package dev.caravan.check;

import java.util.List;
import org.apache.camel.LineNumberAware;
import org.apache.camel.model.RouteDefinition;

/**
 * Collects the problems of one route, each with the line of its step.
 *
 * @param text of the file; empty for a route of a class
 */
record RouteReport(String file, String text, RouteDefinition route, List<Finding> problems) {
    void problem(LineNumberAware node, String problem) {
        problems.add(Finding.problem("routes", place(node).toString(), "route " + route.getRouteId() + ": " + problem));
    }

    /** A problem of the route as a whole. */
    void problem(String problem) {
        problem(route, problem);
    }

    Place place(LineNumberAware node) {
        return Place.of(file, text, node);
    }
}
