package dev.caravan.routes.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.camel.tooling.model.BaseOptionModel;
import org.apache.camel.tooling.model.ComponentModel;
import org.apache.camel.tooling.model.MainModel;
import org.junit.jupiter.api.Test;

class CamelMetadataTest {
    private final CamelMetadata metadata = new CamelMetadata(CamelMetadataTest.class.getClassLoader());

    @Test
    void only_requested_settings_of_camel_main_are_parsed_and_all_groups() {
        MainModel all = metadata.main(any -> true);

        MainModel some = metadata.main(Set.of("camel.management.port", "camel.main.name")::contains);

        assertThat(all.getOptions()).hasSizeGreaterThan(400);
        assertThat(some.getOptions())
                .extracting(BaseOptionModel::getName)
                .containsExactlyInAnyOrder("camel.management.port", "camel.main.name");
        assertThat(some.getOptions()).allMatch(option -> option.getType() != null);
        assertThat(some.getGroups()).hasSameSizeAs(all.getGroups());
    }

    @Test
    void only_requested_options_of_a_component_are_parsed() {
        ComponentModel all = metadata.component("kafka", any -> true).orElseThrow();

        ComponentModel some = metadata.component("kafka", Set.of("brokers", "topic", "valueSerializer")::contains)
                .orElseThrow();

        assertThat(all.getComponentOptions()).hasSizeGreaterThan(100);
        assertThat(some.getComponentOptions())
                .extracting(BaseOptionModel::getName)
                .containsExactlyInAnyOrder("brokers", "valueSerializer");
        assertThat(some.getEndpointOptions())
                .extracting(BaseOptionModel::getName)
                .containsExactlyInAnyOrder("topic", "brokers", "valueSerializer");
        assertThat(some.getComponentOptions()).allMatch(option -> option.getType() != null);
    }

    @Test
    void none_of_the_options_may_be_requested() {
        assertThat(metadata.component("kafka", any -> false)).hasValueSatisfying(component -> {
            assertThat(component.getComponentOptions()).isEmpty();
            assertThat(component.getEndpointOptions()).isEmpty();
        });
    }

    @Test
    void an_unknown_component_has_no_metadata() {
        assertThat(metadata.component("unknown", any -> true)).isEmpty();
    }
}
