/** Delivers again what a subscription has already delivered. */
package dev.caravan.replay;
