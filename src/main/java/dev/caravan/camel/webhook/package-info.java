/** The step {@code standard-webhook}: signed requests as defined by Standard Webhooks (standardwebhooks.com). */
package dev.caravan.camel.webhook;
