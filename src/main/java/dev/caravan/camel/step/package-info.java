/**
 * Steps of a route that prepare a message, send it with a component of Camel, and then restore the message. Endpoints of Camel that send
 * messages of an outbox differently from other exchanges.
 */
package dev.caravan.camel.step;
