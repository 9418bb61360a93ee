package dev.caravan.dist;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.maven.repository.internal.MavenRepositorySystemUtils;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.WorkspaceReader;
import org.eclipse.aether.repository.WorkspaceRepository;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.supplier.RepositorySystemSupplier;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.eclipse.aether.util.filter.DependencyFilterUtils;
import org.eclipse.aether.util.repository.SimpleArtifactDescriptorPolicy;

/** What an application gets that depends on caravan-outbox alone: Maven resolves the pom of this build, without a network. */
final class RequiredLibraries {
    private RequiredLibraries() {}

    /** The jar of the component, then its libraries. */
    static List<Path> all() throws Exception {
        RepositorySystem system = new RepositorySystemSupplier().get();
        DefaultRepositorySystemSession session = MavenRepositorySystemUtils.newSession();
        session.setLocalRepositoryManager(system.newLocalRepositoryManager(session, localRepository()));
        session.setOffline(true);
        // which repository a file is from does not matter, and poms of versions that are not chosen may be missing
        session.setConfigProperty("aether.enhancedLocalRepository.trackingFilename", "none");
        session.setArtifactDescriptorPolicy(new SimpleArtifactDescriptorPolicy(true, true));
        session.setSystemProperties(System.getProperties());
        session.setWorkspaceReader(new ThisBuild());
        var component = new DefaultArtifact("dev.caravan", "caravan-outbox", "jar", ThisBuild.VERSION);
        var request = new DependencyRequest(
                new CollectRequest(List.of(new Dependency(component, JavaScopes.COMPILE)), List.of(), List.of()),
                DependencyFilterUtils.classpathFilter(JavaScopes.RUNTIME));
        List<Path> jars = new ArrayList<>();
        system.resolveDependencies(session, request)
                .getArtifactResults()
                .forEach(result -> jars.add(result.getArtifact().getFile().toPath()));
        return jars;
    }

    /** Maven's plugin for tests sets the property. */
    private static LocalRepository localRepository() {
        return new LocalRepository(Optional.ofNullable(System.getProperty("localRepository"))
                .orElse(System.getProperty("user.home") + "/.m2/repository"));
    }

    private static final class ThisBuild implements WorkspaceReader {
        static final String VERSION = "build";
        private static final Path TARGET = Path.of("target").toAbsolutePath();

        private final WorkspaceRepository repository = new WorkspaceRepository("build");

        @Override
        public WorkspaceRepository getRepository() {
            return repository;
        }

        @Override
        public File findArtifact(Artifact artifact) {
            if (!artifact.getArtifactId().equals("caravan-outbox")) {
                return null;
            }
            return (artifact.getExtension().equals("pom")
                            ? TARGET.resolve("caravan-outbox.pom")
                            : TARGET.resolve("lib/caravan-outbox.jar"))
                    .toFile();
        }

        @Override
        public List<String> findVersions(Artifact artifact) {
            return List.of(VERSION);
        }
    }
}
