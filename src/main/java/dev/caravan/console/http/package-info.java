/** HTTP requests to the API and the console: routing, access control, parsing, responses and errors. */
package dev.caravan.console.http;
