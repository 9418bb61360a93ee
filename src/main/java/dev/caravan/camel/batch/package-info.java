/** The body of an exchange with several messages of the outbox. */
package dev.caravan.camel.batch;
