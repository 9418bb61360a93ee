package dev.caravan.camel.template;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a template of HTML and refuses a value where it could change what is around it although it is escaped: in a tag outside
 * quotation marks, where a space begins another attribute, and in code, where a browser does not see the escaping or removes it first.
 */
final class HtmlPlaces {
    private static final String UNQUOTED =
            "put the value of the attribute into quotation marks: otherwise a space in it"
                    + " begins another attribute. A value cannot be the name of a tag or of an attribute";
    private static final String IN_CODE =
            "a value cannot be a part of a script, a style or an attribute such as onclick:"
                    + " the escaping of HTML does not protect these";

    /** A placeholder of either syntax. The group {@code none} is there if it writes no value itself. */
    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\$\\{[^}]*}?|\\{\\{(?<none>\\s*[#^/!])?.*?(?:}}|\\z)", Pattern.DOTALL);

    private static final Pattern TAG_BEGIN = Pattern.compile("<(?:/|(?<name>[A-Za-z][A-Za-z0-9]*)|(?=\\$\\{|\\{\\{))");
    private static final Pattern CODE_ATTRIBUTE =
            Pattern.compile("[\\s\"'/]on[A-Za-z]+\\s*=\\s*\\z", Pattern.CASE_INSENSITIVE);
    /** Longer than the name of any attribute. */
    private static final int LONGEST_NAME = 60;

    private final String text;
    private final Matcher placeholder;
    private final Matcher tagBegin;
    private int at;

    private HtmlPlaces(String text) {
        this.text = text;
        placeholder = PLACEHOLDER.matcher(text);
        tagBegin = TAG_BEGIN.matcher(text);
    }

    /** @throws IllegalArgumentException with the line of the error */
    static void requireSafe(String template) {
        new HtmlPlaces(template).readText();
    }

    private void readText() {
        while (at < text.length()) {
            if (text.charAt(at) == '<' && tagBegin.region(at, text.length()).lookingAt()) {
                at = tagBegin.end();
                readTag(tagBegin.group("name"));
            } else {
                pass(null);
            }
        }
    }

    private void readTag(String name) {
        while (at < text.length() && text.charAt(at) != '>') {
            char c = text.charAt(at);
            if (c == '"' || c == '\'') {
                String before = text.substring(Math.max(0, at - LONGEST_NAME), at);
                String refusal = CODE_ATTRIBUTE.matcher(before).find() ? IN_CODE : null;
                at++;
                passUntil(String.valueOf(c), refusal);
            } else {
                pass(UNQUOTED);
            }
        }
        at++;
        if ("script".equalsIgnoreCase(name) || "style".equalsIgnoreCase(name)) {
            passUntil("</" + name, IN_CODE);
        }
    }

    private void passUntil(String end, String refusal) {
        while (at < text.length() && !text.regionMatches(true, at, end, 0, end.length())) {
            pass(refusal);
        }
        at += end.length() == 1 ? 1 : 0; // a quotation mark; the tag at the end of code is read as a tag
    }

    /**
     * Passes a character or a placeholder.
     *
     * @param refusal why a value cannot be here; null if it can
     */
    private void pass(String refusal) {
        char c = text.charAt(at);
        if (c == '\\' && text.startsWith("${", at + 1)) {
            at += 3; // ${ itself
        } else if ((c == '$' || c == '{')
                && placeholder.region(at, text.length()).lookingAt()) {
            if (refusal != null && placeholder.group("none") == null) {
                throw FieldTemplate.wrong(text, at, refusal);
            }
            at = placeholder.end();
        } else {
            at++;
        }
    }
}
