package dev.caravan.routes.component;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Sentence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.maven.settings.Server;
import org.apache.maven.settings.Settings;
import org.apache.maven.settings.building.DefaultSettingsBuilderFactory;
import org.apache.maven.settings.building.DefaultSettingsBuildingRequest;
import org.apache.maven.settings.building.SettingsBuildingException;
import org.apache.maven.settings.building.SettingsProblem;
import org.apache.maven.settings.crypto.DefaultSettingsDecrypter;
import org.apache.maven.settings.crypto.DefaultSettingsDecryptionRequest;
import org.apache.maven.settings.crypto.SettingsDecryptionResult;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.repository.Authentication;
import org.eclipse.aether.repository.MirrorSelector;
import org.eclipse.aether.repository.Proxy;
import org.eclipse.aether.repository.ProxySelector;
import org.eclipse.aether.util.repository.AuthenticationBuilder;
import org.eclipse.aether.util.repository.DefaultMirrorSelector;
import org.eclipse.aether.util.repository.DefaultProxySelector;
import org.sonatype.plexus.components.cipher.DefaultPlexusCipher;
import org.sonatype.plexus.components.sec.dispatcher.DefaultSecDispatcher;

/** Maven's {@code settings.xml}: the mirrors, logins and proxies, which are used as Maven uses them. */
final class MavenSettings {
    private final Path file;
    private final Settings settings;

    /**
     * Reads the file; one that does not exist has no settings.
     *
     * @throws ComponentRefusal if it cannot be read
     */
    MavenSettings(Path file) {
        this.file = file;
        try {
            settings = Files.exists(file) ? read(file) : new Settings();
        } catch (SettingsBuildingException e) {
            throw new ComponentRefusal("Could not read " + file + ": " + Sentence.of(texts(e.getProblems()))
                    + " Nothing was changed. Correct it, or name another file with --maven-settings.");
        }
    }

    private static Settings read(Path file) throws SettingsBuildingException {
        var request = new DefaultSettingsBuildingRequest()
                .setUserSettingsFile(file.toFile())
                .setSystemProperties(System.getProperties());
        return new DefaultSettingsBuilderFactory().newInstance().build(request).getEffectiveSettings();
    }

    /** Without the lines of the file that the parser quotes: they may contain a password. */
    private static String texts(List<SettingsProblem> problems) {
        return problems.stream()
                .map(problem -> problem.getMessage()
                        .replaceFirst("(?s)^Non-parseable settings .*?: ", "")
                        .replaceFirst("(?s) \\(position: .*@(\\d+):(\\d+)\\)\\s*$", ", line $1, column $2"))
                .collect(Collectors.joining("; "));
    }

    /** @param withMirrors whether a mirror may replace the repository */
    void applyTo(DefaultRepositorySystemSession session, boolean withMirrors) {
        if (withMirrors) {
            session.setMirrorSelector(mirrors());
        }
        session.setAuthenticationSelector(repository -> login(settings.getServer(repository.getId())));
        session.setProxySelector(proxies());
        settings.getServers()
                .forEach(server ->
                        session.setConfigProperty("aether.connector.http.headers." + server.getId(), headers(server)));
    }

    private MirrorSelector mirrors() {
        var mirrors = new DefaultMirrorSelector();
        settings.getMirrors()
                .forEach(mirror -> mirrors.add(
                        mirror.getId(),
                        mirror.getUrl(),
                        mirror.getLayout(),
                        false,
                        mirror.isBlocked(),
                        mirror.getMirrorOf(),
                        mirror.getMirrorOfLayouts()));
        return mirrors;
    }

    private Authentication login(Server server) {
        if (server == null) {
            return null;
        }
        Server plain = decrypted(new DefaultSettingsDecryptionRequest(server), "server " + server.getId())
                .getServer();
        return login(plain.getUsername(), plain.getPassword());
    }

    private static Authentication login(String user, String password) {
        return new AuthenticationBuilder()
                .addUsername(user)
                .addPassword(password)
                .build();
    }

    private ProxySelector proxies() {
        var proxies = new DefaultProxySelector();
        settings.getProxies().stream()
                .filter(org.apache.maven.settings.Proxy::isActive)
                .map(proxy -> decrypted(new DefaultSettingsDecryptionRequest(proxy), "proxy " + proxy.getId())
                        .getProxy())
                .forEach(proxy -> proxies.add(
                        new Proxy(
                                proxy.getProtocol(),
                                proxy.getHost(),
                                proxy.getPort(),
                                login(proxy.getUsername(), proxy.getPassword())),
                        proxy.getNonProxyHosts()));
        return proxies;
    }

    /** Headers of requests, with which GitLab and others expect a token. */
    private static Map<String, String> headers(Server server) {
        Map<String, String> headers = new TreeMap<>();
        if (server.getConfiguration() instanceof Xpp3Dom configuration
                && configuration.getChild("httpHeaders") != null) {
            Arrays.stream(configuration.getChild("httpHeaders").getChildren("property"))
                    .forEach(property -> headers.put(
                            property.getChild("name").getValue(),
                            property.getChild("value").getValue()));
        }
        return headers;
    }

    /** Passwords in braces, which {@code mvn --encrypt-password} has written, with the master password in the file beside this one. */
    private SettingsDecryptionResult decrypted(DefaultSettingsDecryptionRequest request, String whose) {
        Path master = file.resolveSibling("settings-security.xml");
        var dispatcher = new DefaultSecDispatcher(new DefaultPlexusCipher(), Map.of(), master.toString());
        SettingsDecryptionResult result = new DefaultSettingsDecrypter(dispatcher).decrypt(request);
        result.getProblems().stream().findFirst().ifPresent(problem -> {
            throw new ComponentRefusal(
                    "Could not decrypt the password of " + whose + " in " + file + " with the master password in "
                            + master + ": "
                            + Sentence.of(String.valueOf(
                                    Causes.root(problem.getException()).getMessage()))
                            + " Nothing was changed. Encrypt it again (mvn --encrypt-password), or take it from a variable:"
                            + " ${env.NAME}.");
        });
        return result;
    }
}
