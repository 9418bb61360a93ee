package dev.caravan.camel.template;

import org.apache.camel.spi.annotations.Language;

/** The language {@code slack-template}: JSON for Slack with values of the message, which notify nobody. */
@Language("slack-template")
public final class SlackTemplateLanguage extends TemplateLanguage {
    public SlackTemplateLanguage() {
        super(Format.SLACK);
    }
}
