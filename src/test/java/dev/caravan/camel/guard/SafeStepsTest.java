package dev.caravan.camel.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Constructor;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.AdviceWithDefinition;
import org.apache.camel.model.AggregateDefinition;
import org.apache.camel.model.NoOutputDefinition;
import org.apache.camel.model.OutputDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ResequenceDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SagaActionUriDefinition;
import org.apache.camel.model.SamplingDefinition;
import org.apache.camel.model.WireTapDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which steps of Camel are safe whatever a route sets. */
class SafeStepsTest {
    private static final Set<Class<?>> NO_STEPS = Set.of(
            AdviceWithDefinition.class, OutputDefinition.class, RouteDefinition.class, SagaActionUriDefinition.class);

    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        camel.close();
    }

    private static Stream<Class<?>> steps() {
        return new ClassFileImporter()
                .importPackages("org.apache.camel.model").stream()
                        .filter(type -> type.isAssignableTo(ProcessorDefinition.class))
                        .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
                        .filter(JavaClass::isTopLevelClass)
                        .<Class<?>>map(JavaClass::reflect)
                        .filter(type -> !NO_STEPS.contains(type));
    }

    /** A later version of Camel may have other steps: find out whether they end after the delivery. */
    @ParameterizedTest
    @MethodSource("steps")
    void each_step_of_camel_is_known_or_has_a_replacement(Class<? extends ProcessorDefinition<?>> type)
            throws Exception {
        Constructor<? extends ProcessorDefinition<?>> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);

        String problem = new SafeSteps(camel).losing(constructor.newInstance()).orElse("");

        assertThat(problem).doesNotContain("is not known");
        assertThat(problem.contains("Remove it")
                        || problem.contains("use the step log")
                        || problem.contains("Use filter"))
                .isEqualTo(Set.of(
                                WireTapDefinition.class,
                                AggregateDefinition.class,
                                ResequenceDefinition.class,
                                SamplingDefinition.class)
                        .contains(type));
    }

    @Test
    void a_step_that_is_not_known_is_refused() {
        assertThat(new SafeSteps(camel).losing(new LaterStep()))
                .hasValueSatisfying(problem -> assertThat(problem).contains("is not known to wait for the delivery"));
    }

    private static final class LaterStep extends NoOutputDefinition<LaterStep> {
        @Override
        public String getShortName() {
            return "later";
        }

        @Override
        public LaterStep copyDefinition() {
            return this;
        }
    }
}
