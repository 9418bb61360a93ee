package dev.caravan.lab.image;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The OCI runtime specification of one run: a user without capabilities, a read-only root file system, a writable {@code /tmp},
 * a process namespace of its own, and the network of this machine.
 *
 * @param command the program and its arguments
 * @param environment in addition to that of the image
 * @param mounts files and folders of this machine by their paths in the container, where they are read-only
 */
record Specification(
        UnpackedImage image, List<String> command, Map<String, String> environment, Map<String, Path> mounts) {
    private static final int USER = 10001;

    /** @param temporary the folder that is mounted in the container as {@code /tmp} */
    String json(Path temporary) {
        Map<String, Object> process = Map.of(
                "user", Map.of("uid", USER, "gid", USER),
                "cwd", image.workingFolder(),
                "args", command,
                "env", variables(),
                "capabilities", Map.of(),
                "noNewPrivileges", true);
        Map<String, Object> namespaces = Map.of(
                "namespaces",
                Stream.of("pid", "mount", "ipc")
                        .map(type -> Map.of("type", type))
                        .toList());
        Map<String, Object> all = Map.of(
                "ociVersion",
                "1.0.2",
                "process",
                process,
                "root",
                Map.of("path", image.root().toAbsolutePath().toString(), "readonly", true),
                "mounts",
                allMounts(temporary),
                "linux",
                namespaces);
        try {
            return new ObjectMapper().writeValueAsString(all);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private List<String> variables() {
        Stream<String> added = environment.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue());
        return Stream.concat(image.environment(), added).toList();
    }

    private List<Map<String, Object>> allMounts(Path temporary) {
        List<Map<String, Object>> all = new ArrayList<>(List.of(
                Map.of("destination", "/proc", "type", "proc", "source", "proc"),
                Map.of(
                        "destination",
                        "/dev",
                        "type",
                        "tmpfs",
                        "source",
                        "tmpfs",
                        "options",
                        List.of("nosuid", "mode=755")),
                bound("/tmp", temporary, "rw"),
                bound("/etc/hosts", Path.of("/etc/hosts"), "ro")));
        mounts.forEach((destination, source) -> all.add(bound(destination, source, "ro")));
        return all;
    }

    private static Map<String, Object> bound(String destination, Path source, String access) {
        return Map.of(
                "destination",
                destination,
                "type",
                "bind",
                "source",
                source.toAbsolutePath().toString(),
                "options",
                List.of("bind", access));
    }
}
