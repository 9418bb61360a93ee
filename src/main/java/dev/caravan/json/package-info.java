/** How messages, subscriptions and changes look as JSON: one set of names for the command line and the HTTP API. */
package dev.caravan.json;
