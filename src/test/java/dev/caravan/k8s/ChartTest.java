package dev.caravan.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Helm renders the objects of k8s/base from the chart, whose files are links to those of the base, but the Deployment:
 * {@code -Dwrite.chart=true} writes it again.
 */
class ChartTest {
    private static final Path CHART = Manifests.FOLDER.resolve("chart");
    private static final Path BASE = Manifests.FOLDER.resolve("base");
    private static final Map<String, String> PLACES = Map.of(
            "\n  replicas: 2\n",
            "\n  replicas: {{ .Values.replicas }}\n",
            "image: caravan\n",
            "image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}\n",
            "\n  template:\n    metadata:\n",
            "\n  template:\n    metadata:\n      annotations:\n        checksum/configmaps:"
                    + " {{ include (print $.Template.BasePath \"/configmaps.yaml\") . | sha256sum }}\n");

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsTheLibraryOfHelm() {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "the library of Helm is a dependency for Linux on amd64 only");
    }

    @Test
    void the_deployment_is_made_from_that_of_the_base() throws IOException {
        Path template = CHART.resolve("templates/deployment.yaml");
        String made = withPlaces(Files.readString(BASE.resolve("deployment.yaml")));
        if (Boolean.getBoolean("write.chart")) {
            Files.writeString(template, made);
        }

        assertThat(template)
                .as("./mvnw test -Dtest=ChartTest -Dwrite.chart=true writes it")
                .hasContent(made);
    }

    private static String withPlaces(String deployment) {
        String template = deployment;
        for (var place : PLACES.entrySet()) {
            assertThat(template).contains(place.getKey());
            template = template.replace(place.getKey(), place.getValue());
        }
        return template;
    }

    @Test
    void helm_accepts_the_chart() {
        LintResult result = new Helm(CHART).lint().call();

        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @Test
    void without_values_of_ones_own_the_objects_are_those_of_the_base() throws Exception {
        List<HasMetadata> rendered = rendered(command -> command);

        for (Path path : Manifests.files()) {
            if (path.startsWith(BASE)) {
                for (HasMetadata object : Manifests.in(path)) {
                    HasMetadata made = Manifests.one(
                            rendered, object.getClass(), object.getMetadata().getName());
                    assertThat(made instanceof Deployment deployment ? asInTheBase(deployment) : made)
                            .isEqualTo(object);
                }
            }
        }
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-environment")
                        .getData()
                        .entrySet())
                .extracting(variable -> variable.getKey() + "=" + variable.getValue())
                .containsExactlyInAnyOrder(new YAMLMapper()
                        .treeToValue(kustomization().at("/configMapGenerator/0/literals"), String[].class));
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-settings").getData())
                .isEqualTo(Map.of("application.properties", Files.readString(BASE.resolve("application.properties"))));
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-routes").getData())
                .isEqualTo(Map.of(
                        "orders-to-kafka.camel.yaml",
                        Files.readString(BASE.resolve("routes/orders-to-kafka.camel.yaml"))));
        assertThat(rendered).hasSize(7);
    }

    /** What kustomize sets, and the checksum that stands for the hash in the names of its maps. */
    private static Deployment asInTheBase(Deployment deployment) throws IOException {
        String image = "caravan:" + version();
        var template = deployment.getSpec().getTemplate();
        assertThat(template.getMetadata().getAnnotations().remove("checksum/configmaps"))
                .hasSize(64);
        Pods.containers(template.getSpec()).forEach(container -> {
            assertThat(container.getImage()).isEqualTo(image);
            container.setImage("caravan");
        });
        return deployment;
    }

    private static String version() throws IOException {
        return kustomization().at("/images/0/newTag").asText();
    }

    private static JsonNode kustomization() throws IOException {
        return new YAMLMapper().readTree(BASE.resolve("kustomization.yaml").toFile());
    }

    @Test
    void values_set_image_addresses_settings_routes_and_intakes_and_a_change_replaces_the_pods() throws Exception {
        Path values = Files.writeString(folder.resolve("values.yaml"), """
                image: {repository: registry.example.com/caravan, tag: "0.2.1"}
                replicas: 3
                environment: {CARAVAN_DB_URL: "jdbc:postgresql://db.example.com/shop"}
                settings: "caravan.retention = {{env:RETENTION}}"
                routes:
                  mine.camel.yaml: |
                    - route: {id: mine, description: "{{own.text}} \\"quoted\\""}
                intakes:
                  shop.yaml: 'pending: "state = 0"'
                """);

        List<HasMetadata> rendered = rendered(command -> command.withValuesFile(values));

        Deployment relays = Manifests.one(rendered, Deployment.class, "caravan");
        assertThat(relays.getSpec().getReplicas()).isEqualTo(3);
        assertThat(Pods.containers(relays.getSpec().getTemplate().getSpec()))
                .allMatch(container -> container.getImage().equals("registry.example.com/caravan:0.2.1"));
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-environment")
                        .getData())
                .containsEntry("CARAVAN_DB_URL", "jdbc:postgresql://db.example.com/shop")
                .containsEntry("CAMEL_COMPONENT_KAFKA_BROKERS", "kafka:9092");
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-settings").getData())
                .containsEntry("application.properties", "caravan.retention = {{env:RETENTION}}");
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-routes").getData())
                .isEqualTo(Map.of(
                        "mine.camel.yaml", "- route: {id: mine, description: \"{{own.text}} \\\"quoted\\\"\"}\n"));
        assertThat(Manifests.one(rendered, ConfigMap.class, "caravan-intakes").getData())
                .isEqualTo(Map.of("shop.yaml", "pending: \"state = 0\""));
        assertThat(checksum(relays))
                .isNotEqualTo(checksum(Manifests.one(rendered(command -> command), Deployment.class, "caravan")));
    }

    private static String checksum(Deployment deployment) {
        return deployment.getSpec().getTemplate().getMetadata().getAnnotations().get("checksum/configmaps");
    }

    private static List<HasMetadata> rendered(UnaryOperator<TemplateCommand> values) throws IOException {
        return Manifests.parse(
                values.apply(new Helm(CHART).template().withName("caravan")).call());
    }
}
