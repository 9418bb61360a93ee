package dev.caravan.base.settings;

import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;
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
        try {
            List<String> lines = TextFile.read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                Matcher assignment = ASSIGNMENT.matcher(lines.get(i));
                if (assignment.matches() && assignment.group(1).equals(name)) {
                    return i + 1;
                }
            }
        } catch (IOException e) {
            return 0; // the file has disappeared since it was read; the name alone is reported
        }
        return 0;
    }
}
