package dev.caravan.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects that kustomize builds from k8s. Nothing is applied, so no cluster is needed. */
class KustomizeIT {
    private static final Set<String> SECRETS_OF_THE_DOCS =
            Set.of("caravan-owner", "caravan-relay", "caravan-management");

    @TempDir
    private Path folder;

    @BeforeAll
    static void needsKubectl() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "kubectl"))),
                "kubectl is not on the PATH, so what kustomize makes of k8s is not tested");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "base",
                "overlays/monitoring",
                "overlays/ingress",
                "overlays/network-policy",
                "overlays/keda",
                "overlays/console",
                "overlays/demo"
            })
    void a_kustomization_results_in_objects_that_find_each_other(String name) throws Exception {
        List<HasMetadata> objects = built(Manifests.FOLDER.resolve(name));

        Set<String> maps = names(objects, "ConfigMap");
        for (PodSpec pod : Pods.in(objects)) {
            assertThat(maps).containsAll(configMaps(pod));
            assertThat(secrets(pod)).isSubsetOf(name.endsWith("demo") ? Set.of() : SECRETS_OF_THE_DOCS);
        }
        assertThat(names(objects, "Deployment")).contains(name.endsWith("console") ? "caravan-console" : "caravan");
    }

    @Test
    void a_console_has_no_routes_and_its_service_leads_to_no_relay() throws Exception {
        List<HasMetadata> objects = built(Manifests.FOLDER.resolve("overlays/console"));

        Deployment console = (Deployment) objects.stream()
                .filter(object -> object.getKind().equals("Deployment"))
                .findFirst()
                .orElseThrow();
        PodSpec pod = console.getSpec().getTemplate().getSpec();
        assertThat(pod.getContainers()).extracting(Container::getArgs).containsExactly(List.of("console"));
        assertThat(pod.getInitContainers()).isEmpty();
        assertThat(secrets(pod)).doesNotContain("caravan-owner");
        assertThat(objects.toString()).doesNotContain("caravan-routes", "/etc/caravan/routes", "/etc/caravan/intakes");
        assertThat(objects)
                .filteredOn(Service.class::isInstance)
                .singleElement()
                .satisfies(service -> assertThat(((Service) service).getSpec().getSelector())
                        .isEqualTo(console.getSpec().getSelector().getMatchLabels())
                        .containsEntry("app.kubernetes.io/name", "caravan-console"));
    }

    @Test
    void the_components_can_be_combined_also_with_intakes() throws Exception {
        Path copy = copy();
        Path own = Files.createDirectory(copy.resolve("overlays/own"));
        Files.writeString(own.resolve("kustomization.yaml"), """
                apiVersion: kustomize.config.k8s.io/v1beta1
                kind: Kustomization
                namespace: shop
                resources: [../../base]
                components:
                  - ../../components/monitoring
                  - ../../components/ingress
                  - ../../components/network-policy
                  - ../../components/keda
                configMapGenerator:
                  - name: caravan-intakes
                    literals: ["shop.yaml=intake: shop"]
                """);

        List<HasMetadata> objects = built(own);

        assertThat(objects)
                .extracting(HasMetadata::getKind)
                .contains("PodMonitor", "PrometheusRule", "Ingress", "NetworkPolicy", "ScaledObject");
        assertThat(deployment(objects).getSpec().getReplicas())
                .as("KEDA decides")
                .isNull();
        assertThat(deployment(objects).getSpec().getTemplate().getSpec().getVolumes())
                .as("the name has the hash of the content")
                .filteredOn(volume -> volume.getName().equals("intakes"))
                .singleElement()
                .satisfies(volume -> assertThat(names(objects, "ConfigMap"))
                        .contains(volume.getConfigMap().getName())
                        .doesNotContain("caravan-intakes"));
    }

    @Test
    @Tag("long")
    void a_change_of_a_route_replaces_the_pods() throws Exception {
        Path copy = copy();
        Deployment before = deployment(built(copy.resolve("base")));

        Files.writeString(
                copy.resolve("base/routes/orders-to-kafka.camel.yaml"), "# changed\n", StandardOpenOption.APPEND);

        assertThat(deployment(built(copy.resolve("base"))).getSpec().getTemplate())
                .isNotEqualTo(before.getSpec().getTemplate());
    }

    @Test
    @Tag("long")
    void the_demo_is_in_a_namespace_of_its_own_that_refuses_unsafe_pods() throws Exception {
        List<HasMetadata> objects = built(Manifests.FOLDER.resolve("overlays/demo"));

        assertThat(objects)
                .filteredOn(object -> object.getKind().equals("Namespace"))
                .singleElement()
                .satisfies(space -> assertThat(space.getMetadata().getLabels())
                        .containsEntry("pod-security.kubernetes.io/enforce", "restricted"));
        assertThat(objects)
                .filteredOn(object -> !object.getKind().equals("Namespace"))
                .allSatisfy(object ->
                        assertThat(object.getMetadata().getNamespace()).isEqualTo("caravan-demo"));
        assertThat(names(objects, "Service"))
                .as("the hosts in the settings of base")
                .contains("postgres", "kafka");
    }

    private static List<HasMetadata> built(Path kustomization) throws Exception {
        Process kubectl = new ProcessBuilder("kubectl", "kustomize", kustomization.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String yaml = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).isZero();
        return Manifests.parse(yaml);
    }

    private Path copy() throws IOException {
        Path copy = folder.resolve("k8s");
        try (Stream<Path> all = Files.walk(Manifests.FOLDER)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                Files.copy(file, copy.resolve(Manifests.FOLDER.relativize(file).toString()));
            }
        }
        return copy;
    }

    private static Deployment deployment(List<HasMetadata> objects) {
        return Manifests.one(objects, Deployment.class, "caravan");
    }

    private static Set<String> names(List<HasMetadata> objects, String kind) {
        return objects.stream()
                .filter(object -> object.getKind().equals(kind))
                .map(object -> object.getMetadata().getName())
                .collect(Collectors.toSet());
    }

    private static Set<String> configMaps(PodSpec pod) {
        Set<String> names = new TreeSet<>();
        pod.getVolumes().stream()
                .filter(volume -> volume.getConfigMap() != null
                        && !Boolean.TRUE.equals(volume.getConfigMap().getOptional()))
                .forEach(volume -> names.add(volume.getConfigMap().getName()));
        for (Container container : Pods.containers(pod)) {
            container
                    .getEnvFrom()
                    .forEach(from -> names.add(from.getConfigMapRef().getName()));
        }
        return names;
    }

    private static Set<String> secrets(PodSpec pod) {
        return Pods.containers(pod).stream()
                .flatMap(container -> container.getEnv().stream())
                .filter(variable -> variable.getValueFrom() != null
                        && variable.getValueFrom().getSecretKeyRef() != null)
                .map(variable -> variable.getValueFrom().getSecretKeyRef().getName())
                .collect(Collectors.toSet());
    }
}
