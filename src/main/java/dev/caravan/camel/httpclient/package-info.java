/** How Camel's HTTP client sends messages: unchanged, with POST, for a limited time, and with a limited answer. */
package dev.caravan.camel.httpclient;
