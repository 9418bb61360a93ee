package dev.caravan.camel.template;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.step.NeededLibrary;
import org.apache.camel.Exchange;

/** A text with values of a message. */
public interface Template {
    /** @throws IllegalArgumentException with the line of the error */
    static Template parse(String text, Format format) {
        return FieldTemplate.parse(text, format);
    }

    /**
     * Reads the text of a file. Its name says its syntax.
     *
     * @throws IllegalArgumentException with the line of the error
     */
    static Template parse(String text, Format format, String file) {
        if (!file.endsWith(".mustache")) {
            return parse(text, format);
        }
        NeededLibrary.require("A template in Mustache", "com.samskivert.mustache.Mustache", "com.samskivert:jmustache");
        return MustacheTemplate.parse(text, format);
    }

    /** @throws FieldException if the message lacks a value without default, or has one that the template cannot use */
    String text(Exchange exchange);
}
