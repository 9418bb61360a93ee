/** Selecting messages page by page and changing them chunk by chunk. */
package dev.caravan.selection;
