package dev.caravan.adopt.intake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A text of SQL in a file, which becomes a part of statements.
 *
 * @param tokens strings, names, numbers, operators and spaces, in their order
 */
record SqlFragment(List<String> tokens) {
    static final String ERROR = "error";
    static final String ATTEMPTS = "attempts";

    private static final String WORD = "[\\p{L}_@$#][\\p{L}\\p{N}_@$#]*";
    private static final String STRING = "'(?:[^']|'')*'";
    private static final String QUOTED = "\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)+`|\\[(?:[^\\]]|\\]\\])+\\]";
    private static final Pattern TOKEN = Pattern.compile(
            STRING + "|" + QUOTED + "|--|/\\*|::|\\?\\?|" + WORD + "|\\p{N}[\\p{L}\\p{N}_.]*|:" + WORD + "|\\s+|.",
            Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile(QUOTED + "|" + WORD);

    static SqlFragment of(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            tokens.add(token.group());
        }
        return new SqlFragment(tokens);
    }

    /** The text with a question mark for each parameter. */
    String sql() {
        return tokens.stream().map(token -> isParameter(token) ? "?" : token).collect(Collectors.joining());
    }

    /** The names of the parameters, in their order. */
    List<String> parameters() {
        return tokens.stream()
                .filter(SqlFragment::isParameter)
                .map(token -> token.substring(1))
                .toList();
    }

    private static boolean isParameter(String token) {
        return token.length() > 1 && token.charAt(0) == ':' && !token.equals("::");
    }

    /** The names in the text without their quotes: columns, functions and words of SQL. */
    List<String> names() {
        return tokens.stream()
                .filter(token -> NAME.matcher(token).matches())
                .map(SqlFragment::unquoted)
                .toList();
    }

    static String unquoted(String name) {
        char quote = name.charAt(0);
        if (quote != '"' && quote != '`' && quote != '[') {
            return name;
        }
        String one = quote == '[' ? "]" : String.valueOf(quote);
        return name.substring(1, name.length() - 1).replace(one + one, one);
    }

    /** The name of the column that the text is, without a table before it; empty if it is another expression. */
    Optional<String> column() {
        for (int i = 0; i < tokens.size(); i++) {
            boolean isName = i % 2 == 0;
            if (isName ? !NAME.matcher(tokens.get(i)).matches() : !tokens.get(i).equals(".")) {
                return Optional.empty();
            }
        }
        return tokens.size() % 2 == 0 ? Optional.empty() : Optional.of(unquoted(tokens.get(tokens.size() - 1)));
    }

    /** The parts between the commas that are in no parentheses. */
    List<SqlFragment> parts() {
        List<SqlFragment> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        int depth = 0;
        for (String token : tokens) {
            depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
            if (depth == 0 && token.equals(",")) {
                parts.add(new SqlFragment(List.copyOf(part)));
                part.clear();
            } else {
                part.add(token);
            }
        }
        parts.add(new SqlFragment(part));
        return parts;
    }

    /**
     * What could give a statement another meaning than the text has by itself.
     *
     * @param parameters those that are allowed
     */
    Optional<String> problem(List<String> parameters) {
        Deque<String> open = new ArrayDeque<>();
        for (String token : tokens) {
            switch (token) {
                case "(" -> open.push(token);
                case ")" -> {
                    if (open.poll() == null) {
                        return Optional.of("has a ) without its (");
                    }
                }
                case "?" -> {
                    return Optional.of(
                            "has a ?, which is a parameter without a value. An operator with it is written ??");
                }
                case ";" -> {
                    return Optional.of("has a ;, but it is a part of one statement");
                }
                case "--", "/*" -> {
                    return Optional.of(
                            "has a comment, which could hide the rest of the statement. Write it as a comment of YAML");
                }
                case "'", "\"", "`" -> {
                    return Optional.of("has a " + token + " without its end");
                }
                default -> {
                    if (isParameter(token) && !parameters.contains(token.substring(1))) {
                        return Optional.of("has the unknown parameter " + token + "; "
                                + (parameters.isEmpty()
                                        ? "only outcome.dead has parameters"
                                        : "known are :" + String.join(", :", parameters)));
                    }
                }
            }
        }
        return open.isEmpty() ? Optional.empty() : Optional.of("has a ( without its )");
    }
}
