package dev.caravan.routes.check;

import java.util.List;
import org.apache.camel.LineNumberAware;
import org.apache.camel.model.RouteDefinition;

/**
 * Collects the problems of one route, each with the line of its step, and hints.
 *
 * @param text of the file; empty for a route of a class
 */
record RouteReport(String file, String text, RouteDefinition route, List<CheckResult> problems) {
    /** A report on the same route with another list of problems. */
    RouteReport to(List<CheckResult> others) {
        return new RouteReport(file, text, route, others);
    }

    void problem(LineNumberAware node, String problem) {
        problems.add(CheckResult.problem("routes", place(node).toString(), named() + problem));
    }

    /** Reports something that is allowed but may be a mistake. */
    void hint(LineNumberAware node, String hint) {
        problems.add(CheckResult.hint("routes", place(node).toString(), named() + hint));
    }

    private String named() {
        return route.getRouteId() == null ? "" : "route " + route.getRouteId() + ": ";
    }

    /** The number of problems, without hints. */
    long count() {
        return problems.stream().filter(finding -> !finding.ok()).count();
    }

    /** Whether a problem with this reason is reported already. */
    boolean mentions(String reason) {
        return problems.stream().anyMatch(finding -> finding.text().contains(reason));
    }

    /** Reports a problem of the whole route. */
    void problem(String problem) {
        problem(route, problem);
    }

    Place place(LineNumberAware node) {
        return Place.of(file, text, node);
    }
}
