package dev.caravan.email;

/** Builds a simple HTML mail. The text is escaped, because it contains user input and Camel has no HTML escaping. */
public final class HtmlMail {
    public static String page(String title, String text) {
        return "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + escaped(title)
                + "</title></head><body><h1>" + escaped(title) + "</h1><p>" + escaped(text) + "</p></body></html>";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
