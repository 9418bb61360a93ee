/** How requests over HTTP are taken, allowed, answered and refused. */
package dev.caravan.http;
