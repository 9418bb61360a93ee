/** What a route of a user may do with a message: parts of it that fail, and steps that would acknowledge it too early. */
package dev.caravan.route;
