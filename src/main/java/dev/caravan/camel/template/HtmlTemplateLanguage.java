package dev.caravan.camel.template;

import org.apache.camel.spi.annotations.Language;

/** The language {@code html-template}: HTML with values of the message. */
@Language("html-template")
public final class HtmlTemplateLanguage extends TemplateLanguage {
    public HtmlTemplateLanguage() {
        super(Format.HTML);
    }
}
