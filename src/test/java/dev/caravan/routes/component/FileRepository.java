package dev.caravan.routes.component;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A folder with the layout of a Maven repository. */
public record FileRepository(Path folder) {
    /** Adds an artifact with a small jar. */
    public FileRepository with(String coordinates, String... dependencies) throws IOException {
        return with(
                coordinates, new BuiltJar().file(coordinates.replace(':', '/') + ".txt", coordinates), dependencies);
    }

    public FileRepository with(String coordinates, BuiltJar jar, String... dependencies) throws IOException {
        Artifact artifact = Artifact.named(coordinates, "");
        Path place = place(artifact);
        jar.in(place, artifact.fileName());
        Files.writeString(
                place.resolve(artifact.fileName().replace(".jar", ".pom")),
                "<project><modelVersion>4.0.0</modelVersion>" + xml(artifact) + "<dependencies>"
                        + Stream.of(dependencies)
                                .map(text -> "<dependency>" + xml(Artifact.named(text, "")) + "</dependency>")
                                .collect(Collectors.joining())
                        + "</dependencies></project>");
        return this;
    }

    /** Adds an artifact with a small jar, whose users do not get this dependency. */
    public FileRepository withOptional(String coordinates, String dependency) throws IOException {
        with(coordinates, dependency);
        Artifact artifact = Artifact.named(coordinates, "");
        Path pom = place(artifact).resolve(artifact.fileName().replace(".jar", ".pom"));
        Files.writeString(
                pom, Files.readString(pom).replace("</dependency>", "<optional>true</optional></dependency>"));
        return this;
    }

    public Path jar(String coordinates) {
        Artifact artifact = Artifact.named(coordinates, "");
        return place(artifact).resolve(artifact.fileName());
    }

    private Path place(Artifact artifact) {
        return folder.resolve(artifact.group().replace('.', '/'))
                .resolve(artifact.name())
                .resolve(artifact.version());
    }

    private static String xml(Artifact artifact) {
        return "<groupId>" + artifact.group() + "</groupId><artifactId>" + artifact.name() + "</artifactId><version>"
                + artifact.version() + "</version>";
    }
}
