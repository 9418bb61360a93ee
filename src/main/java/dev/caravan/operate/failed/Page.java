package dev.caravan.operate.failed;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list.
 *
 * @param items may be fewer than requested, even none, although more exist: the next page continues the search
 * @param next the end of this page; empty at the end of the list
 */
public record Page<S>(List<S> items, Optional<Cursor> next) {}
