package dev.caravan.k8s;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The objects in k8s, read as strictly as an API server does: an unknown field or a number for a text is an error. */
final class Manifests {
    static final Path FOLDER = Path.of("k8s");

    private static final Map<String, Class<? extends HasMetadata>> MODELS = Map.ofEntries(
            Map.entry("v1/ConfigMap", ConfigMap.class),
            Map.entry("v1/Namespace", Namespace.class),
            Map.entry("v1/Service", Service.class),
            Map.entry("v1/ServiceAccount", ServiceAccount.class),
            Map.entry("apps/v1/Deployment", Deployment.class),
            Map.entry("apps/v1/StatefulSet", StatefulSet.class),
            Map.entry("networking.k8s.io/v1/Ingress", Ingress.class),
            Map.entry("networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class),
            Map.entry("policy/v1/PodDisruptionBudget", PodDisruptionBudget.class),
            Map.entry("monitoring.coreos.com/v1/PodMonitor", PodMonitor.class),
            Map.entry("monitoring.coreos.com/v1/PrometheusRule", PrometheusRule.class),
            Map.entry("keda.sh/v1alpha1/ScaledObject", ScaledObject.class));

    private static final YAMLMapper STRICT = strict();

    private Manifests() {}

    /** The models accept any field, because of later versions of the API. Without that, an unknown field is an error. */
    private static YAMLMapper strict() {
        YAMLMapper mapper = YAMLMapper.builder()
                .annotationIntrospector(new JacksonAnnotationIntrospector() {
                    @Override
                    public Boolean hasAnySetter(Annotated annotated) {
                        return false;
                    }
                })
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .build();
        for (CoercionInputShape shape :
                List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
            mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
        }
        for (LogicalType type : List.of(LogicalType.Integer, LogicalType.Boolean)) {
            mapper.coercionConfigFor(type).setCoercion(CoercionInputShape.String, CoercionAction.Fail);
        }
        return mapper;
    }

    /** All files with objects, without kustomizations and their patches, settings and routes. */
    static List<Path> files() {
        try (Stream<Path> all = Files.walk(FOLDER)) {
            return all.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.toString().endsWith(".camel.yaml"))
                    .filter(file -> !file.startsWith(FOLDER.resolve("chart"))) // templates
                    .filter(file -> !List.of("kustomization.yaml", "without-secrets.yaml")
                            .contains(file.getFileName().toString()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<HasMetadata> in(Path file) throws IOException {
        return parse(Files.readString(file));
    }

    static List<HasMetadata> parse(String yaml) throws IOException {
        List<HasMetadata> objects = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                STRICT.readerFor(JsonNode.class).readValues(yaml)) {
            while (documents.hasNext()) {
                JsonNode object = documents.next();
                String type = object.path("apiVersion").asText() + "/"
                        + object.path("kind").asText();
                Class<? extends HasMetadata> model = MODELS.get(type);
                if (model == null) {
                    throw new IOException("No model for " + type + ". Add it to Manifests");
                }
                objects.add(STRICT.treeToValue(object, model));
            }
        }
        return objects;
    }

    /** The objects of one type in a file of k8s. */
    static <T extends HasMetadata> T one(Class<T> type, String file) throws IOException {
        return in(FOLDER.resolve(file)).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }

    /** The object of a type and a name. */
    static <T extends HasMetadata> T one(List<HasMetadata> objects, Class<T> type, String name) {
        return objects.stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }
}
