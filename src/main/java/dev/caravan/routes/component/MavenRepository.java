package dev.caravan.routes.component;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Sentence;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.maven.repository.internal.MavenRepositorySystemUtils;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositoryException;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.collection.DependencyCollectionContext;
import org.eclipse.aether.collection.DependencySelector;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.DependencyNode;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.repository.RepositoryPolicy;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.supplier.RepositorySystemSupplier;
import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.ChecksumFailureException;
import org.eclipse.aether.transfer.TransferCancelledException;
import org.eclipse.aether.transfer.TransferEvent;
import org.eclipse.aether.util.graph.selector.AndDependencySelector;
import org.eclipse.aether.util.graph.visitor.PreorderNodeListGenerator;
import org.eclipse.aether.util.repository.AuthenticationBuilder;
import org.eclipse.aether.util.repository.SimpleArtifactDescriptorPolicy;
import org.springframework.util.FileSystemUtils;

/**
 * A Maven repository, over HTTP or in a folder, read with Maven's resolver. Only this class and {@link MavenSettings} use the libraries
 * in {@code lib-component}.
 */
final class MavenRepository implements AutoCloseable {
    private static final Map<String, Object> OPTIONS = Map.of(
            "aether.connector.connectTimeout", 10_000,
            "aether.connector.requestTimeout", 60_000,
            "aether.connector.http.useSystemProperties", true);

    private static final Pattern NO_LOGIN = Pattern.compile("\\b(401|403|407)\\b");

    private final Repository origin;
    private final Path downloads;
    private final RepositorySystem system;
    private final DefaultRepositorySystemSession session;
    private final DependencySelector selector;
    private final List<RemoteRepository> repositories;

    MavenRepository(Repository origin) {
        this.origin = origin;
        try {
            downloads = Files.createTempDirectory("caravan-component-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        system = new RepositorySystemSupplier().get();
        session = MavenRepositorySystemUtils.newSession();
        session.setLocalRepositoryManager(
                system.newLocalRepositoryManager(session, new LocalRepository(downloads.toFile())));
        session.setArtifactDescriptorPolicy(new SimpleArtifactDescriptorPolicy(false, false));
        session.setIgnoreArtifactDescriptorRepositories(true);
        session.setSystemProperties(System.getProperties());
        OPTIONS.forEach(session::setConfigProperty);
        session.setTransferListener(new WrongChecksumsRefused());
        selector = session.getDependencySelector(); // excludes test, optional and provided dependencies
        try {
            origin.mavenSettings()
                    .map(MavenSettings::new)
                    .ifPresent(settings -> settings.applyTo(session, origin.mayBeMirrored()));
            repositories =
                    system.newResolutionRepositories(session, List.of(repository(origin.id(), origin.address())));
        } catch (ComponentRefusal e) {
            close();
            throw e;
        }
    }

    private static RemoteRepository repository(String id, URI address) {
        boolean isFolder = "file".equals(address.getScheme());
        String url = address.toString().replaceFirst("//[^/@]*@", "//");
        var policy = new RepositoryPolicy(
                true,
                RepositoryPolicy.UPDATE_POLICY_ALWAYS,
                isFolder ? RepositoryPolicy.CHECKSUM_POLICY_WARN : RepositoryPolicy.CHECKSUM_POLICY_FAIL);
        var repository = new RemoteRepository.Builder(id, "default", url).setPolicy(policy);
        if (address.getUserInfo() != null) {
            String[] login = address.getUserInfo().split(":", 2);
            repository.setAuthentication(new AuthenticationBuilder()
                    .addUsername(login[0])
                    .addPassword(login.length > 1 ? login[1] : "")
                    .build());
        }
        return repository.build();
    }

    /** @throws ComponentRefusal if the artifact or one of its dependencies cannot be read */
    ResolvedArtifact find(Artifact artifact, RelayLibraries relay) {
        try {
            Set<Artifact> ofRelay = new LinkedHashSet<>();
            session.setDependencySelector(new AndDependencySelector(selector, new NotOfTheRelay(relay, ofRelay)));
            var requested = new DefaultArtifact(
                    artifact.group(), artifact.name(), artifact.classifier(), "jar", artifact.version());
            // not as the root: optional dependencies of the root are included
            DependencyNode root = system.collectDependencies(
                            session,
                            new CollectRequest(List.of(new Dependency(requested, "runtime")), List.of(), repositories))
                    .getRoot();
            var nodes = new PreorderNodeListGenerator();
            root.accept(nodes);
            List<ArtifactRequest> wanted = nodes.getArtifacts(true).stream()
                    .filter(needed -> needed.getExtension().equals("jar"))
                    .map(needed -> new ArtifactRequest(needed, repositories, null))
                    .toList();
            List<ResolvedArtifact.Jar> jars = new ArrayList<>();
            for (ArtifactResult result : system.resolveArtifacts(session, wanted)) {
                jars.add(new ResolvedArtifact.Jar(
                        artifact(result.getArtifact()),
                        result.getArtifact().getFile().toPath()));
            }
            return new ResolvedArtifact(artifact, jars, List.copyOf(ofRelay));
        } catch (RepositoryException e) {
            throw new ComponentRefusal(
                    "Could not add " + artifact + ": " + Sentence.of(reason(e))
                            + " Nothing was changed. "
                            + CatalogOfComponents.read().advice(artifact)
                            + advice(reason(e)),
                    e);
        }
    }

    private String advice(String reason) {
        return origin.mavenSettings()
                .filter(settings -> NO_LOGIN.matcher(reason).find())
                .map(settings -> origin.isNamed()
                        ? "Add the login to " + settings + ", as the server with the id "
                                + repositories.get(0).getId() + ", or correct it there."
                        : "Name it as --repository ID::URL, with the id of a server in " + settings
                                + " that has the login, or correct the login in the address.")
                .orElse(
                        "Check the name, the version and the network; --repository names another repository, --from a folder"
                                + " of files.");
    }

    /** The first line of the innermost cause that names the repository. */
    private String reason(RepositoryException failure) {
        URI address = URI.create(repositories.get(0).getUrl());
        String place = address.getHost() == null ? address.getPath() : address.getHost();
        return Causes.of(failure)
                .map(cause -> String.valueOf(cause.getMessage())
                        .strip()
                        .lines()
                        .findFirst()
                        .orElse(""))
                .filter(line -> line.contains(place))
                .reduce((outer, inner) -> inner)
                .orElseGet(() -> String.valueOf(Causes.root(failure).getMessage()))
                .replaceFirst("\\.$", "");
    }

    private static Artifact artifact(org.eclipse.aether.artifact.Artifact artifact) {
        return new Artifact(
                artifact.getGroupId(), artifact.getArtifactId(), artifact.getVersion(), artifact.getClassifier());
    }

    /** Refuses a wrong checksum. A missing one is accepted, because a folder may have none. */
    private static final class WrongChecksumsRefused extends AbstractTransferListener {
        @Override
        public void transferCorrupted(TransferEvent event) throws TransferCancelledException {
            if (event.getException() instanceof ChecksumFailureException failure
                    && !failure.getExpected().isEmpty()) {
                throw new TransferCancelledException("the checksum of "
                        + event.getResource().getRepositoryUrl()
                        + event.getResource().getResourceName()
                        + " does not match its content");
            }
        }
    }

    /** Excludes the libraries of the relay with their dependencies, which the relay contains too or excludes on purpose. */
    private record NotOfTheRelay(RelayLibraries relay, Set<Artifact> leftOut) implements DependencySelector {
        @Override
        public boolean selectDependency(Dependency dependency) {
            Artifact needed = artifact(dependency.getArtifact());
            if (relay.has(needed.id())) {
                leftOut.add(needed);
            }
            return !relay.has(needed.id());
        }

        @Override
        public DependencySelector deriveChildSelector(DependencyCollectionContext context) {
            return this;
        }
    }

    /** Deletes what was downloaded. */
    @Override
    public void close() {
        try {
            FileSystemUtils.deleteRecursively(downloads);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
