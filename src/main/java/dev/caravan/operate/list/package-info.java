/** Whole lists as text: read part by part, and written as CSV or JSON lines. */
package dev.caravan.operate.list;
