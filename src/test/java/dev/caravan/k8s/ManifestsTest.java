package dev.caravan.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.caravan.base.settings.SettingNames;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.HTTPIngressPath;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files in k8s are accepted by an API server, safe, and consistent with the relay and the rest of the repository. */
class ManifestsTest {
    private static final Pattern SETTING = Pattern.compile("(?m)^([\\w.]+) =");
    private static final Pattern LANES = Pattern.compile("(?m)^ +lanes: (\\d+)$");

    static List<Path> files() {
        return Manifests.files();
    }

    @ParameterizedTest
    @MethodSource("files")
    void each_object_has_only_fields_that_its_type_has(Path file) throws IOException {
        assertThat(Manifests.in(file))
                .isNotEmpty()
                .allSatisfy(object -> assertThat(object.getMetadata().getName()).isNotBlank());
    }

    @Test
    void an_unknown_field_and_a_number_for_a_text_are_refused() {
        String map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: %s}%s}";
        assertThatThrownBy(() -> Manifests.parse(map.formatted("b", ", dota: {}")))
                .hasMessageContaining("dota");
        assertThatThrownBy(() -> Manifests.parse(map.formatted("1", ""))).hasMessageContaining("String");
    }

    /** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, as far as fields are used. */
    @ParameterizedTest
    @MethodSource("files")
    void each_pod_meets_the_restricted_profile(Path file) throws IOException {
        for (PodSpec pod : Pods.in(Manifests.in(file))) {
            assertThat(pod.getHostNetwork()).isNull();
            assertThat(pod.getHostPID()).isNull();
            assertThat(pod.getHostIPC()).isNull();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getRunAsUser()).isPositive();
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(pod.getVolumes()).allMatch(volume -> volume.getHostPath() == null);
            for (Container container : Pods.containers(pod)) {
                var security = container.getSecurityContext();
                assertThat(security.getPrivileged()).isNull();
                assertThat(security.getAllowPrivilegeEscalation()).isFalse();
                assertThat(security.getCapabilities().getDrop()).containsExactly("ALL");
                assertThat(security.getCapabilities().getAdd()).isEmpty();
                assertThat(container.getPorts()).allMatch(port -> port.getHostPort() == null);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void each_container_has_requests_and_a_memory_limit_but_no_cpu_limit(Path file) throws IOException {
        for (PodSpec pod : Pods.in(Manifests.in(file))) {
            for (Container container : Pods.containers(pod)) {
                assertThat(container.getResources().getRequests()).containsOnlyKeys("cpu", "memory");
                assertThat(container.getResources().getLimits()).containsOnlyKeys("memory");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void no_object_contains_a_secret(Path file) throws IOException {
        List<HasMetadata> objects = Manifests.in(file);

        assertThat(objects).noneMatch(object -> object.getKind().equals("Secret"));
        for (PodSpec pod : Pods.in(objects)) {
            for (Container container : Pods.containers(pod)) {
                assertThat(container.getEnv())
                        .filteredOn(variable -> variable.getName().matches(".*(PASSWORD|TOKEN|SECRET).*"))
                        .allSatisfy(variable -> assertThat(variable.getValue()).isNull());
            }
        }
    }

    @Test
    void the_relay_has_no_account_of_kubernetes_and_cannot_write_outside_tmp() throws IOException {
        assertThat(Manifests.one(ServiceAccount.class, "base/serviceaccount.yaml")
                        .getAutomountServiceAccountToken())
                .isFalse();
        assertThat(Pods.ofRelay().getAutomountServiceAccountToken()).isFalse();
        assertThat(Pods.ofRelay().getSecurityContext().getRunAsUser()).isEqualTo(10001);
        for (Container container : Pods.containers(Pods.ofRelay())) {
            assertThat(container.getSecurityContext().getReadOnlyRootFilesystem())
                    .isTrue();
            assertThat(container.getVolumeMounts())
                    .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                    .extracting(mount -> mount.getMountPath())
                    .containsExactly("/tmp");
        }
    }

    @Test
    void only_the_container_that_creates_the_tables_has_the_role_that_owns_them() throws IOException {
        Container schema = Pods.ofRelay().getInitContainers().get(0);

        assertThat(schema.getArgs()).startsWith("schema", "apply");
        assertThat(secrets(schema)).containsExactly("caravan-owner");
        assertThat(Pods.relay().getArgs()).startsWith("run");
        assertThat(secrets(Pods.relay())).containsExactly("caravan-management", "caravan-relay");
    }

    @Test
    void a_command_that_is_executed_in_a_container_finds_the_settings() throws IOException {
        for (Container container : Pods.containers(Pods.ofRelay())) {
            assertThat(container.getVolumeMounts())
                    .anyMatch(mount -> mount.getName().equals("settings")
                            && mount.getMountPath().equals(container.getWorkingDir()));
        }
    }

    private static Set<String> secrets(Container container) {
        return container.getEnv().stream()
                .map(EnvVar::getValueFrom)
                .filter(from -> from != null && from.getSecretKeyRef() != null)
                .map(from -> from.getSecretKeyRef().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void each_variable_is_one_that_the_settings_read() throws IOException {
        Set<String> known = SETTING.matcher(Files.readString(Path.of("application.properties")))
                .results()
                .map(found -> SettingNames.variable(found.group(1)))
                .collect(Collectors.toSet());
        known.add("JAVA_TOOL_OPTIONS");

        for (Container container : Pods.containers(Pods.ofRelay())) {
            assertThat(container.getEnv()).extracting(EnvVar::getName).isSubsetOf(known);
        }
        for (var generator : kustomization("base").path("configMapGenerator")) {
            generator.path("literals").forEach(literal -> assertThat(known)
                    .contains(literal.asText().split("=")[0]));
        }
    }

    @Test
    void probes_service_and_monitor_use_the_port_and_the_paths_of_the_relay() throws IOException {
        String settings = Files.readString(Path.of("application.properties"));
        String health = Files.readString(Path.of("docs/monitoring.md"));
        var port = Pods.relay().getPorts().get(0);
        PodMonitor monitor = Manifests.one(PodMonitor.class, "components/monitoring/pod-monitor.yaml");

        assertThat(settings).contains("{{env:MANAGEMENT_PORT:" + port.getContainerPort() + "}}");
        assertThat(Manifests.one(Service.class, "base/service.yaml")
                        .getSpec()
                        .getPorts()
                        .get(0)
                        .getTargetPort()
                        .getStrVal())
                .isEqualTo(port.getName());
        for (Probe probe : List.of(
                Pods.relay().getStartupProbe(),
                Pods.relay().getLivenessProbe(),
                Pods.relay().getReadinessProbe())) {
            assertThat(probe.getHttpGet().getPort().getStrVal()).isEqualTo(port.getName());
        }
        assertThat(health)
                .contains("| `" + path(Pods.relay().getLivenessProbe()) + "` |")
                .contains("| `" + path(Pods.relay().getReadinessProbe()) + "` |");
        assertThat(path(Pods.relay().getLivenessProbe())).isEqualTo("/observe/health/live");
        assertThat(path(Pods.relay().getStartupProbe())).isEqualTo("/observe/health/live");
        assertThat(path(Pods.relay().getReadinessProbe())).isEqualTo("/observe/health/ready");
        assertThat(monitor.getSpec().getPodMetricsEndpoints()).singleElement().satisfies(endpoint -> {
            assertThat(endpoint.getPort()).isEqualTo(port.getName());
            assertThat(health).contains("http://localhost:" + port.getContainerPort() + endpoint.getPath());
            assertThat(endpoint.getRelabelings().get(0).getReplacement()).startsWith("caravan-");
        });
    }

    @Test
    void the_operator_that_monitors_camel_finds_the_relays_and_their_port() throws IOException {
        var relays = Manifests.one(Deployment.class, "base/deployment.yaml").getMetadata();

        assertThat(relays.getLabels()).containsEntry("camel.apache.org/monitor", relays.getName());
        assertThat(Pods.relay().getPorts().get(0).getContainerPort())
                .as("its default; another port needs the annotation camel.apache.org/observability-services-port")
                .isEqualTo(9876);
    }

    @Test
    void the_ingress_leads_to_each_address_that_a_browser_needs() throws IOException {
        var rule = Manifests.one(Ingress.class, "components/ingress/ingress.yaml")
                .getSpec()
                .getRules()
                .get(0);
        List<String> addresses = Pattern.compile("https://" + Pattern.quote(rule.getHost()) + "(/[\\w/]+)")
                .matcher(Files.readString(Path.of("docs/people.md")))
                .results()
                .map(found -> found.group(1))
                .toList();
        List<String> paths =
                rule.getHttp().getPaths().stream().map(HTTPIngressPath::getPath).toList();

        assertThat(paths).contains("/api");
        assertThat(addresses).contains("/auth/callback", "/console/").allMatch(address -> paths.stream()
                .anyMatch(path -> address.startsWith(path + "/")));
    }

    @Test
    void the_network_policy_lets_a_relay_ask_name_servers_at_any_address() throws IOException {
        var rules = Manifests.one(NetworkPolicy.class, "components/network-policy/network-policy.yaml")
                .getSpec()
                .getEgress();

        assertThat(rules)
                .filteredOn(rule -> rule.getTo().isEmpty())
                .flatExtracting(NetworkPolicyEgressRule::getPorts)
                .extracting(port -> port.getProtocol() + " " + port.getPort().getIntVal())
                .contains("UDP 53", "TCP 53");
    }

    @Test
    void the_heap_leaves_memory_for_a_command_beside_the_relay() throws IOException {
        String limit = Pods.relay().getResources().getLimits().get("memory").toString();
        String options = Pods.relay().getEnv().stream()
                .filter(variable -> variable.getName().equals("JAVA_TOOL_OPTIONS"))
                .map(EnvVar::getValue)
                .collect(Collectors.joining());
        Matcher share = Pattern.compile("-XX:MaxRAMPercentage=(\\d+)").matcher(options);

        assertThat(share.find()).isTrue();
        assertThat(Files.readString(Path.of("docs/install.md")))
                .contains(
                        "**Memory.** " + limit.replace("Mi", " MiB") + ", of which at most " + share.group(1) + " % ");
    }

    private static String path(Probe probe) {
        return probe.getHttpGet().getPath();
    }

    @Test
    void a_relay_is_replaced_only_after_another_one_is_ready() throws IOException {
        var spec = Manifests.one(Deployment.class, "base/deployment.yaml").getSpec();

        assertThat(spec.getReplicas()).isGreaterThanOrEqualTo(2);
        assertThat(spec.getStrategy().getRollingUpdate().getMaxUnavailable().getIntVal())
                .isZero();
        assertThat(spec.getSelector().getMatchLabels())
                .isEqualTo(spec.getTemplate().getMetadata().getLabels());
    }

    @Test
    void keda_scales_from_a_standby_to_the_number_of_lanes_by_metrics_that_exist() throws IOException {
        ScaledObject scaled = Manifests.one(ScaledObject.class, "components/keda/scaled-object.yaml");
        Matcher lanes = LANES.matcher(Files.readString(Path.of("k8s/base/routes/orders-to-kafka.camel.yaml")));
        String metrics = Files.readString(Path.of("docs/monitoring.md"));
        String query = scaled.spec.triggers().get(0).metadata().get("query");

        assertThat(lanes.find()).isTrue();
        assertThat(scaled.spec.maxReplicaCount()).isEqualTo(Integer.parseInt(lanes.group(1)));
        assertThat(scaled.spec.minReplicaCount()).isPositive();
        assertThat(scaled.spec.scaleTargetRef().name())
                .isEqualTo(Manifests.one(Deployment.class, "base/deployment.yaml")
                        .getMetadata()
                        .getName());
        assertThat(Pattern.compile("caravan_\\w+").matcher(query).results().map(found -> "`" + found.group() + "`"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(metrics).contains(name));
    }

    @Test
    void alerts_and_dashboard_are_those_of_the_docs() throws IOException {
        var yaml = new YAMLMapper();

        assertThat(yaml.readTree(Path.of("k8s/components/monitoring/prometheus-rule.yaml")
                                .toFile())
                        .at("/spec/groups"))
                .as("k8s/components/monitoring/prometheus-rule.yaml: copy the groups of docs/monitoring/alerts.yaml")
                .isEqualTo(yaml.readTree(Path.of("docs/monitoring/alerts.yaml").toFile())
                        .path("groups"));
        assertThat(new ObjectMapper()
                        .readTree(Path.of("k8s/components/monitoring/dashboard.json")
                                .toFile()))
                .as("k8s/components/monitoring/dashboard.json: copy docs/monitoring/dashboard.json")
                .isEqualTo(new ObjectMapper()
                        .readTree(Path.of("docs/monitoring/dashboard.json").toFile()));
    }

    @Test
    void routes_and_settings_are_the_shipped_ones_with_lanes_for_several_relays() throws IOException {
        assertThat(Path.of("k8s/base/application.properties"))
                .as("copy application.properties")
                .hasSameTextualContentAs(Path.of("application.properties"));
        try (var routes = Files.list(Path.of("k8s/base/routes"))) {
            assertThat(routes).isNotEmpty().allSatisfy(route -> assertThat(LANES.matcher(Files.readString(route))
                            .replaceAll("")
                            .replace("\n\n", "\n"))
                    .as("copy routes/%s, and keep lanes", route.getFileName())
                    .isEqualTo(Files.readString(Path.of("routes").resolve(route.getFileName()))
                            .replace("\n\n", "\n")));
        }
    }

    @Test
    void the_image_has_the_version_of_the_build() throws IOException {
        Matcher version = Pattern.compile("<version>([^<]+)</version>").matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();

        assertThat(kustomization("base").at("/images/0/newTag").asText()).isEqualTo(version.group(1));
    }

    private static JsonNode kustomization(String folder) throws IOException {
        return new YAMLMapper()
                .readTree(Manifests.FOLDER
                        .resolve(folder)
                        .resolve("kustomization.yaml")
                        .toFile());
    }
}
