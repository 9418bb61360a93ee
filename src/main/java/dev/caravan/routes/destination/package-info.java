/**
 * What leaves the process for a destination, and how a destination answers. Public: tests of routes use it, and
 * docs/public-api/testing.txt lists it together with the kit.
 */
package dev.caravan.routes.destination;
