/** A running relay: Camel with the settings, the connections and the routes of this process. */
package dev.caravan.relay;
