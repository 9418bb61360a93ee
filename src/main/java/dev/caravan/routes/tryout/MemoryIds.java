package dev.caravan.routes.tryout;

import dev.caravan.camel.guard.MessageIds;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.CamelContext;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.model.AggregateDefinition;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.processor.DefaultProcessorFactory;
import org.apache.camel.processor.aggregate.MemoryAggregationRepository;
import org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository;
import org.apache.camel.processor.idempotent.jdbc.AbstractJdbcMessageIdRepository;
import org.apache.camel.spi.AggregationRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.spi.ProcessorFactory;
import org.apache.camel.support.CamelContextHelper;
import org.apache.camel.support.EndpointHelper;
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
     * Replaces the repositories of steps when their routes are created. A relay would find in them what the dry run has stored: it would skip
     * messages whose ids they have, and send those that they collect. Only then the beans of all files and the parameters of a template are
     * known.
     *
     * @param databases whether to replace those in a database too
     * @param given beans that are used as they are, unless they are in a database
     */
    void replaceIn(CamelContext context, boolean databases, Collection<Object> given) {
        context.getCamelContextExtension().addContextPlugin(ProcessorFactory.class, new DefaultProcessorFactory() {
            @Override
            public Processor createProcessor(Route route, NamedNode step) throws Exception {
                if (step instanceof IdempotentConsumerDefinition idempotent) {
                    replaceIn(idempotent);
                } else if (step instanceof AggregateDefinition aggregate) {
                    replaceIn(aggregate);
                }
                return super.createProcessor(route, step);
            }

            private void replaceIn(IdempotentConsumerDefinition step) {
                IdempotentRepository repository = step.getIdempotentRepositoryBean() != null
                        ? step.getIdempotentRepositoryBean()
                        : named(context, step.getIdempotentRepository(), IdempotentRepository.class);
                boolean isInMemory =
                        repository instanceof MemoryIdempotentRepository || repository instanceof MessageIds;
                boolean isInDatabase = repository instanceof AbstractJdbcMessageIdRepository;
                if (!isInMemory && replaces(repository, isInDatabase)) {
                    step.setIdempotentRepository(table(repository));
                }
            }

            private void replaceIn(AggregateDefinition step) {
                AggregationRepository repository = step.getAggregationRepositoryBean() != null
                        ? step.getAggregationRepositoryBean()
                        : named(context, step.getAggregationRepository(), AggregationRepository.class);
                boolean isInDatabase = repository instanceof JdbcAggregationRepository;
                if (!(repository instanceof MemoryAggregationRepository) && replaces(repository, isInDatabase)) {
                    step.setAggregationRepository(new MemoryAggregationRepository());
                }
            }

            private boolean replaces(Object repository, boolean isInDatabase) {
                return repository != null && (isInDatabase ? databases : !given.contains(repository));
            }
        });
    }

    /** As Camel looks it up. Null if there is none: the route cannot start then. */
    private static <T> T named(CamelContext context, String reference, Class<T> type) {
        String name = CamelContextHelper.parseText(context, reference);
        if (name == null) {
            return null;
        }
        return EndpointHelper.isReferenceParameter(name)
                ? EndpointHelper.resolveReferenceParameter(context, name, type, false)
                : context.getRegistry().lookupByNameAndType(name, type);
    }
}
