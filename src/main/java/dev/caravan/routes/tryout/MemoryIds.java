package dev.caravan.routes.tryout;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.CamelContext;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.idempotent.jdbc.AbstractJdbcMessageIdRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** Stores the ids of delivered messages in memory, in place of the tables of a database. */
final class MemoryIds {
    private final Map<Object, Map<String, Object>> tables = new ConcurrentHashMap<>();

    IdempotentRepository table(Object name) {
        return MemoryIdempotentRepository.memoryIdempotentRepository(
                tables.computeIfAbsent(name, any -> new ConcurrentHashMap<>()));
    }

    boolean used() {
        return tables.values().stream().anyMatch(ids -> !ids.isEmpty());
    }

    void clear() {
        tables.values().forEach(Map::clear);
    }

    /** Replaces the repositories of a route that store ids in a database. */
    void replaceIn(CamelContext context, RouteDefinition route) {
        for (var step :
                ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), IdempotentConsumerDefinition.class)) {
            Object repository = step.getIdempotentRepositoryBean() != null
                    ? step.getIdempotentRepositoryBean()
                    : named(context, step.getIdempotentRepository());
            if (repository instanceof AbstractJdbcMessageIdRepository) {
                step.setIdempotentRepository(table(repository));
            }
        }
    }

    private static Object named(CamelContext context, String reference) {
        String name = context.resolvePropertyPlaceholders(String.valueOf(reference));
        return context.getRegistry().lookupByName(name.replaceFirst("^#(bean:)?", ""));
    }
}
