/** Fields of a payload in routes: templates of text, HTML and JSON, and conditions. */
package dev.caravan.camel.template;
