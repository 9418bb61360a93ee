package dev.caravan.camel.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.TryDefinition;

/** The steps in a step, with those that Camel stores apart: {@code doCatch} and {@code doFinally} of YAML and XML, and {@code onFallback}. */
public final class InnerSteps {
    private InnerSteps() {}

    /** Steps, each followed by those within it. */
    static Stream<ProcessorDefinition<?>> all(List<? extends ProcessorDefinition<?>> steps) {
        return steps.stream().flatMap(step -> Stream.concat(Stream.of(step), all(of(step))));
    }

    /** The steps directly in a step, in the order of the route file. */
    public static List<ProcessorDefinition<?>> of(ProcessorDefinition<?> step) {
        if (step instanceof TryDefinition tried) {
            List<ProcessorDefinition<?>> all = new ArrayList<>(tried.getOutputsWithoutCatches());
            all.addAll(tried.getCatchClauses());
            if (tried.getFinallyClause() != null) {
                all.add(tried.getFinallyClause());
            }
            return all;
        }
        if (step instanceof CircuitBreakerDefinition breaker && breaker.getOnFallback() != null) {
            List<ProcessorDefinition<?>> all = new ArrayList<>(breaker.getOutputs());
            all.addAll(breaker.getOnFallback().getOutputs());
            return all;
        }
        return step.getOutputs();
    }
}
