package dev.caravan.k8s;

import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;

/** The object of KEDA, which has no published model in Java: the fields of {@code keda.sh/v1alpha1} that are used here. */
@JsonDeserialize(using = JsonDeserializer.None.class) // instead of that of HasMetadata, which accepts any field
final class ScaledObject implements HasMetadata {
    private static final long serialVersionUID = 1;

    public String apiVersion;
    public String kind;
    public ObjectMeta metadata;
    public Spec spec;

    record Spec(
            Target scaleTargetRef,
            Integer pollingInterval,
            Integer cooldownPeriod,
            Integer minReplicaCount,
            Integer maxReplicaCount,
            Fallback fallback,
            Advanced advanced,
            List<Trigger> triggers) {}

    record Target(String apiVersion, String kind, String name) {}

    record Fallback(Integer failureThreshold, Integer replicas) {}

    record Advanced(AutoscalerConfig horizontalPodAutoscalerConfig) {}

    record AutoscalerConfig(String name, Behavior behavior) {}

    record Behavior(Rules scaleUp, Rules scaleDown) {}

    record Rules(Integer stabilizationWindowSeconds, String selectPolicy, List<Policy> policies) {}

    record Policy(String type, Integer value, Integer periodSeconds) {}

    record Trigger(String type, String name, String metricType, Map<String, String> metadata) {}

    @Override
    public String getKind() {
        return kind;
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public void setApiVersion(String version) {
        apiVersion = version;
    }

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }
}
