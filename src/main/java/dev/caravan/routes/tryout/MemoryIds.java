package dev.caravan.routes.tryout;

import dev.caravan.camel.guard.MessageIds;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.CamelContext;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.idempotent.jdbc.AbstractJdbcMessageIdRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** Stores the ids of delivered messages in memory, in place of a database, a topic, a file and the like. */
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

    /**
     * Replaces the repositories of a route that store ids outside of this process: a relay would find the ids of the dry run in them, and
     * skip the messages.
     *
     * @param databases whether to replace those in a database too
     * @param given beans that are used as they are, unless they are in a database
     */
    void replaceIn(CamelContext context, RouteDefinition route, boolean databases, Collection<Object> given) {
        for (var step :
                ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), IdempotentConsumerDefinition.class)) {
            Object repository = step.getIdempotentRepositoryBean() != null
                    ? step.getIdempotentRepositoryBean()
                    : named(context, step.getIdempotentRepository());
            boolean isInMemory = repository == null // the route cannot start
                    || repository instanceof MemoryIdempotentRepository
                    || repository instanceof MessageIds;
            boolean replaces =
                    repository instanceof AbstractJdbcMessageIdRepository ? databases : !given.contains(repository);
            if (replaces && !isInMemory) {
                step.setIdempotentRepository(table(repository));
            }
        }
    }

    private static Object named(CamelContext context, String reference) {
        String name = context.resolvePropertyPlaceholders(String.valueOf(reference));
        return context.getRegistry().lookupByName(name.replaceFirst("^#(bean:)?", ""));
    }
}
