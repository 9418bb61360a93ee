/** The operations of the HTTP API, and the management server that serves them. */
package dev.caravan.console.api;
