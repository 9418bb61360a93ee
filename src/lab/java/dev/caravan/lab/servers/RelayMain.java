package dev.caravan.lab.servers;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The main class of a {@link RelayProcess}: a relay that is closed on SIGTERM. Arguments are settings, name=value. */
public final class RelayMain {
    /** The log line after the start of the routes. */
    public static final String STARTED = "relay started";

    private RelayMain() {}

    public static void main(String[] settings) throws InterruptedException {
        endWithTheTest();
        Relay relay = Relay.start(Settings.load(settingsFile(), parse(settings)));
        Runtime.getRuntime().addShutdownHook(new Thread(relay::close, "close-relay"));
        System.out.println(STARTED);
        relay.awaitEnd();
    }

    /** The folder of the program that starts the relay: the working directory or the installation. */
    private static Path settingsFile() {
        Path here = Path.of("application.properties");
        String home = System.getenv("CARAVAN_HOME");
        return home == null || Files.exists(here) ? here : Path.of(home, "application.properties");
    }

    private static Map<String, String> parse(String[] settings) {
        Map<String, String> parsed = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            parsed.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return parsed;
    }

    /** Ends the relay at the end of standard input, so that it does not run longer than the JVM of the test. */
    private static void endWithTheTest() {
        Thread watcher = new Thread(RelayMain::haltAtEndOfInput, "end-with-the-test");
        watcher.setDaemon(true);
        watcher.start();
    }

    private static void haltAtEndOfInput() {
        try {
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            // same as the end
        }
        Runtime.getRuntime().halt(1);
    }
}
