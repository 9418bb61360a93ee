/**
 * Work on route files before they run: loading, checking, trying and drafting them, and adding components of Camel. Nothing here
 * delivers a message.
 */
package dev.caravan.routes;
