package dev.caravan.camel.template;

import java.util.List;

/** An endpoint some of whose options are templates. */
public interface Templated {
    /** @throws IllegalArgumentException if a template is wrong */
    List<TemplateSource> templates();
}
