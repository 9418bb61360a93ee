/** Steps of a route that prepare a message, send it with a component of Camel, and then restore the message. */
package dev.caravan.camel.step;
