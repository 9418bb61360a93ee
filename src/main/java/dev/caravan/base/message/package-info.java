/** The JSON of messages, subscriptions and changes, shared by the command line and the HTTP API. */
package dev.caravan.base.message;
