package dev.caravan.database;

import dev.caravan.base.text.TextFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Loads a statement from {@code src/main/resources/sql}, where each package with statements has a folder. A line such as
 * {@code \ir part.sql} or {@code \ir ../folder/part.sql} is replaced by this file, as in psql; several statements can share it.
 */
public final class SqlFile {
    private static final Pattern INCLUDED =
            Pattern.compile("^\\\\ir (\\w+|\\.\\./\\w+/\\w+)\\.sql$", Pattern.MULTILINE);

    private SqlFile() {}

    /** @param name folder and file name without extension, for example {@code audit/write_audit} */
    public static String file(String name) {
        String folder = name.substring(0, name.indexOf('/') + 1);
        return INCLUDED.matcher(content(name))
                .replaceAll(part -> Matcher.quoteReplacement(content(resolved(folder, part.group(1)))));
    }

    private static String resolved(String folder, String part) {
        return part.startsWith("../") ? part.substring(3) : folder + part;
    }

    private static String content(String name) {
        return TextFile.resource("/sql/" + name + ".sql")
                .orElseThrow(() -> new IllegalArgumentException("No statement named " + name));
    }
}
