package dev.caravan.capture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What follows {@code set} in an update: values in SQL by column. */
record Assignments(Map<String, String> values) {
    /** Empty if the text is no list of assignments. */
    static Optional<Assignments> of(String sql) {
        Map<String, String> values = new LinkedHashMap<>();
        for (SqlTokens part : SqlTokens.of(sql).parts()) {
            List<String> tokens = part.stripped().tokens();
            int equals = tokens.indexOf("=");
            boolean column = equals == 1 || equals == 2 && tokens.get(1).isBlank();
            String value = column ? String.join("", tokens.subList(equals + 1, tokens.size())) : "";
            if (value.isBlank()) {
                return Optional.empty();
            }
            values.put(SqlTokens.name(tokens.get(0)), value.strip());
        }
        return Optional.of(new Assignments(values));
    }
}
