/**
 * The HTTP server of a relay: the API, sign-in, and the files of the web console. It answers from the room {@code operate}. A request
 * never slows delivery down.
 */
package dev.caravan.console;
