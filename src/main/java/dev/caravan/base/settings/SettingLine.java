package dev.caravan.base.settings;

import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the line of a properties file that sets a name. */
final class SettingLine {
    private static final Pattern ASSIGNMENT = Pattern.compile("^\\s*([^#!\\s=:][^\\s=:]*)\\s*[=:\\s].*");

    private SettingLine() {}

    /** {@code sms.token (booking.properties:12)}; the name alone if no file sets it. */
    static String of(String name, List<Path> files) {
        for (Path file : files) {
            int line = line(name, file);
            if (line > 0) {
                return name + " (" + file.getFileName() + ":" + line + ")";
            }
        }
        return name;
    }

    private static int line(String name, Path file) {
        return all(name, file).stream().findFirst().orElse(0);
    }

    /** All lines of a file that set a name. */
    static List<Integer> all(String name, Path file) {
        List<Integer> found = new ArrayList<>();
        try {
            List<String> lines = TextFile.read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                boolean continues = i > 0 && lines.get(i - 1).endsWith("\\");
                Matcher assignment = ASSIGNMENT.matcher(lines.get(i));
                if (!continues && assignment.matches() && assignment.group(1).equals(name)) {
                    found.add(i + 1);
                }
            }
        } catch (IOException e) {
            return List.of(); // the file has disappeared since it was read; the name alone is reported
        }
        return found;
    }
}
