// Which rows of a list are selected: single ones by their keys, or all that match the search.
import { useEffect, useState } from '../lib/htm-preact.js';

/** Maximum number of single messages in one request of the API. */
export const MOST = 1000;

const NOTHING = { keys: new Map(), last: null, all: null };

/**
 * The selection of a list. It is empty again when the search changes.
 *
 * @param search the search, as text
 */
export function useSelection(search) {
  const [state, setState] = useState(NOTHING);
  useEffect(() => setState(NOTHING), [search]);
  return {
    /** Counts of all that match; null while single rows are selected. */
    all: state.all,
    size: state.keys.size,
    rows: () => [...state.keys.values()],
    has: key => state.all !== null || state.keys.has(key),
    clear: () => setState(NOTHING),
    selectAll: count => setState({ ...NOTHING, all: count }),
    /** With range: all rows from the one that was changed last. */
    toggle: (key, shown, range) => setState(old => toggled(old, key, shown, range)),
    /** Selects all rows of the page, or none of them if all are selected. */
    togglePage: shown => setState(old => {
      const complete = shown.every(([key]) => old.keys.has(key));
      return { ...NOTHING, keys: changed(old.all ? new Map() : old.keys, shown, !complete && !old.all) };
    }),
  };
}

function toggled(old, key, shown, range) {
  const keys = old.all ? new Map() : old.keys;
  const to = shown.findIndex(([each]) => each === key);
  const from = range ? shown.findIndex(([each]) => each === old.last) : -1;
  const rows = from < 0 ? [shown[to]] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  const selects = from < 0 ? !keys.has(key) : keys.has(old.last);
  return { keys: changed(keys, rows, selects), last: key, all: null };
}

function changed(old, rows, selects) {
  const keys = new Map(old);
  for (const [key, row] of rows) {
    if (!selects) {
      keys.delete(key);
    } else if (keys.size < MOST) {
      keys.set(key, row);
    }
  }
  return keys;
}

/** What a bulk change selects, as fields of the request: a filter, or all. */
export function selected(filter) {
  return Object.keys(filter).length > 0 ? { filter } : { all: true };
}

/** The filter of a bulk change of these rows. */
export function filterOf(rows) {
  const ids = {};
  rows.forEach(row => (ids[row.subscription] ??= []).push(row.id));
  return { ids };
}
