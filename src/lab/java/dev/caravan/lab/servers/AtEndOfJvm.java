package dev.caravan.lab.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A shell command that runs when this JVM has ended, even after SIGKILL, when no shutdown hook runs. */
public final class AtEndOfJvm implements AutoCloseable {
    /** Waits for the end of its input, which only this JVM has open. A signal to the process group must not end the shell first. */
    private static final String WAIT = "trap '' HUP INT TERM; cat > /dev/null; ";

    /** Shuts the server down immediately. A server that has stopped has already removed the file with its process id. */
    private static final String END_POSTGRES = """
            pid=$(head -n 1 "$1/postmaster.pid") && case "$(ps -o comm= -p "$pid")" in
              *postgres) kill -QUIT "$pid"; while kill -0 "$pid"; do sleep 0.1; done;;
            esac
            """;

    private static final String REMOVE_MARIADB = """
            pid=$(cat "$1/data/pid") && case "$(ps -o comm= -p "$pid")" in
              mariadbd) kill -KILL "$pid"; while [ "$(ps -o comm= -p "$pid")" = mariadbd ]; do sleep 0.02; done;;
            esac
            rm -rf "$1"
            """;

    private final Process shell;

    private AtEndOfJvm(String command, String argument) throws IOException {
        shell = new ProcessBuilder(List.of("sh", "-c", WAIT + command, "sh", argument))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Shuts a Postgres down when this JVM has ended. */
    public static AtEndOfJvm endPostgres(Path data) throws IOException {
        return new AtEndOfJvm(END_POSTGRES, data.toString());
    }

    /** Shuts a Postgres down and removes its data when this JVM has ended. */
    public static AtEndOfJvm removePostgres(Path data) throws IOException {
        return new AtEndOfJvm(END_POSTGRES + "rm -rf \"$1\"", data.toString());
    }

    /** Kills a MariaDB and removes its folder when this JVM has ended. */
    static AtEndOfJvm removeMariaDb(Path folder) throws IOException {
        return new AtEndOfJvm(REMOVE_MARIADB, folder.toString());
    }

    /** Sends a signal to a process, for example {@code -TERM}, when this JVM has ended. */
    public static AtEndOfJvm signal(String signal, long pid) throws IOException {
        return new AtEndOfJvm("kill " + signal + " \"$1\"", Long.toString(pid));
    }

    /** Runs the command now; returns when it has ended. */
    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        try {
            shell.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
