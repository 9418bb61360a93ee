/** What headers may come from a row, and what leaves with a message over HTTP and mail. */
package dev.caravan.headers;
