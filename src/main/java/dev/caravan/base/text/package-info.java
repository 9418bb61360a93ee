/** Parsing and formatting of values for people. */
package dev.caravan.base.text;
