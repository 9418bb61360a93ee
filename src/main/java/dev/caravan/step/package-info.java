/** Steps of a route that prepare a message, send it with a component of Camel, and leave the message as it was. */
package dev.caravan.step;
