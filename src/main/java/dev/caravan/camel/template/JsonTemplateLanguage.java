package dev.caravan.camel.template;

import org.apache.camel.spi.annotations.Language;

/** The language {@code json-template}: JSON with values of the message. */
@Language("json-template")
public final class JsonTemplateLanguage extends TemplateLanguage {
    public JsonTemplateLanguage() {
        super(Format.JSON);
    }
}
