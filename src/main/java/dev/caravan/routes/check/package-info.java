/** Checks settings, routes, endpoints and destinations without starting a relay. */
package dev.caravan.routes.check;
