package dev.caravan.selection;

import java.util.List;
import java.util.Optional;

/**
 * A part of a list.
 *
 * @param items may be fewer than were asked for, even none, although there are more: the next part goes on searching
 * @param next empty at the end of the list
 */
public record Page<S>(List<S> items, Optional<Cursor> next) {}
