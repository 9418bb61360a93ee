package dev.caravan.lab.bench.report;

import dev.caravan.lab.bench.run.Servers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.kafka.common.utils.AppInfoParser;

/** Facts about the machine and the servers, for the report. */
public final class Machine {
    private Machine() {}

    /** Names and values in the order of the report. */
    public static Map<String, String> facts(Servers servers) throws SQLException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
        facts.put("memory", memory());
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        facts.put(
                "postgres",
                servers.setting("server_version") + " (fsync " + servers.setting("fsync") + ", synchronous_commit "
                        + servers.setting("synchronous_commit") + ", shared_buffers "
                        + servers.setting("shared_buffers") + ")");
        facts.put("kafka client", AppInfoParser.getVersion());
        facts.put("camel", CamelContext.class.getPackage().getImplementationVersion());
        return facts;
    }

    /** Load average of the last minute, which shows other work of the machine. */
    public static String load() {
        return String.format(
                Locale.ROOT,
                "%.2f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch"); // not Linux
        }
    }

    private static String memory() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return Math.round(system.getTotalMemorySize() / 1e9) + " GB";
    }
}
