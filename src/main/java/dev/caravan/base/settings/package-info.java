/** The settings of a relay: loading, resolving placeholders, and reading typed values. */
package dev.caravan.base.settings;
