package dev.caravan.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** The pods of a list of objects, and their containers. */
final class Pods {
    private Pods() {}

    static List<PodSpec> in(List<HasMetadata> objects) {
        return objects.stream()
                .flatMap(object -> object instanceof Deployment deployment
                        ? Stream.of(deployment.getSpec().getTemplate().getSpec())
                        : object instanceof StatefulSet set
                                ? Stream.of(set.getSpec().getTemplate().getSpec())
                                : Stream.empty())
                .toList();
    }

    static List<Container> containers(PodSpec pod) {
        return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .toList();
    }

    static PodSpec ofRelay() throws IOException {
        return Manifests.one(Deployment.class, "base/deployment.yaml")
                .getSpec()
                .getTemplate()
                .getSpec();
    }

    static Container relay() throws IOException {
        return ofRelay().getContainers().get(0);
    }
}
