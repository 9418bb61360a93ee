package dev.caravan.relay.postgres;

import dev.caravan.base.settings.SettingsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Runs programs as the user to whom the folder belongs: the user of the relay, or another one if the relay runs as root, because Postgres refuses
 * to run as root. All that is written into the folder is written in this way, so the owner of the folder cannot misuse the rights of root.
 *
 * @param folder the working directory of the programs
 * @param prefix a program that changes the user; empty if none is needed
 */
record ServerUser(Path folder, List<String> prefix) {
    /** The other variables of the relay have passwords, which are not for the owner of the folder, or change what the programs do (PGPORT). */
    private static final Pattern NEEDED_VARIABLES = Pattern.compile("PATH|TZ|(DY)?LD_.*|NSS_WRAPPER_.*");

    /** What a program printed, with its errors, and how it ended. */
    record Ended(int status, String output) {
        boolean isOk() {
            return status == 0;
        }
    }

    /** @throws SettingsException if the folder belongs to root, or to another user */
    static ServerUser of(Path folder) throws IOException {
        return isRoot() ? instead(folder) : itself(folder);
    }

    static boolean isRoot() throws IOException {
        Path self = Path.of("/proc/self");
        return Files.exists(self)
                ? Files.getAttribute(self, "unix:uid").equals(0)
                : "root".equals(System.getProperty("user.name"));
    }

    private static ServerUser itself(Path folder) {
        if (!Files.isWritable(folder)) {
            throw new SettingsException("Could not use the folder " + folder + ": this user may not write to it."
                    + " Nothing was started. Run the relay as its owner, or change the owner (chown).");
        }
        return new ServerUser(folder, List.of());
    }

    private static ServerUser instead(Path folder) throws IOException {
        Map<String, Object> owner = Files.readAttributes(folder, "unix:uid,gid,owner");
        if (owner.get("uid").equals(0)) {
            throw new SettingsException("Could not use the folder " + folder
                    + ": the relay runs as root, and the folder belongs to root. Postgres does not run as root. Nothing was started. Run"
                    + " the relay as another user, or give the folder to one whose name the server then has: chown -R postgres "
                    + folder);
        }
        String uid = owner.get("uid").toString();
        String gid = owner.get("gid").toString();
        List<String> prefix = inPath("setpriv")
                .map(program -> List.of(program, "--reuid=" + uid, "--regid=" + gid, "--clear-groups", "--"))
                .or(() -> inPath("runuser")
                        .map(program ->
                                List.of(program, "-u", owner.get("owner").toString(), "--")))
                .orElseThrow(() -> new SettingsException("Could not run Postgres as the owner of the folder " + folder
                        + ": the relay runs as root, and this machine has neither setpriv nor runuser. Nothing was started. Install"
                        + " util-linux, or run the relay as the owner of the folder."));
        return new ServerUser(folder, prefix);
    }

    /** A program of the machine. */
    static Optional<String> inPath(String program) {
        for (String folder : String.valueOf(System.getenv("PATH")).split(":")) {
            Path file = Path.of(folder).resolve(program);
            if (folder.startsWith("/") && Files.isExecutable(file) && !Files.isDirectory(file)) {
                return Optional.of(file.toString());
            }
        }
        return Optional.empty();
    }

    /** Starts a program in a session of its own. Its errors are part of its output. */
    Process start(List<String> command) throws IOException {
        List<String> all = new ArrayList<>(newSession());
        all.addAll(prefix);
        all.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(all).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(name -> !NEEDED_VARIABLES.matcher(name).matches());
        builder.environment().put("LC_ALL", "C");
        return builder.start();
    }

    /** Ctrl-C in a terminal reaches its session: it is for the relay, which saves its progress before the server stops. macOS has no setsid. */
    private static List<String> newSession() {
        return inPath("setsid")
                .map(List::of)
                .or(() -> inPath("perl")
                        .map(perl -> List.of(perl, "-e", "use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV")))
                .orElse(List.of());
    }

    /** Runs a program to its end. */
    Ended run(String... command) throws IOException {
        return run(InputStream.nullInputStream(), command);
    }

    /** @param input what the program reads; it may end before it has read all of it */
    Ended run(InputStream input, String... command) throws IOException {
        Process process = start(List.of(command));
        try (OutputStream toProgram = process.getOutputStream()) {
            input.transferTo(toProgram);
        } catch (IOException e) {
            // the program has ended, and its output says why
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Ended(process.waitFor(), output);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while " + command[0] + " ran");
        }
    }

    /**
     * Runs a script of the shell.
     *
     * @throws EmbeddedServerException with its output if it fails
     */
    void shell(String input, String script, Path... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-ec", "umask 077; " + script, "sh"));
        for (Path argument : arguments) {
            command.add(argument.toString());
        }
        Ended ended = run(
                new java.io.ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                command.toArray(String[]::new));
        if (!ended.isOk()) {
            throw new EmbeddedServerException("Could not prepare the folder " + folder
                    + " for Postgres. Nothing was started. The last lines:\n" + ServerLog.last(ended.output()));
        }
    }

    /** Replaces a file, which only this user may read. It is on the disk when the method returns. */
    void write(Path file, String text) throws IOException {
        shell(text, "cat > \"$1.part\"; sync \"$1.part\"; mv -f \"$1.part\" \"$1\"; sync .", file);
    }
}
