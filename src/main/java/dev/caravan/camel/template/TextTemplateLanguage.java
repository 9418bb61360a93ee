package dev.caravan.camel.template;

import org.apache.camel.spi.annotations.Language;

/** The language {@code text-template}: text with values of the message. */
@Language("text-template")
public final class TextTemplateLanguage extends TemplateLanguage {
    public TextTemplateLanguage() {
        super(Format.TEXT);
    }
}
