/** Drafts of route files for common destinations, for {@code new}. */
package dev.caravan.routes.draft;
