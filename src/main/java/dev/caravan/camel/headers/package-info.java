/** Which headers a row may set, and which headers are sent over HTTP and mail. */
package dev.caravan.camel.headers;
