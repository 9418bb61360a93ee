// How a person wants to see tables and times. Stored in this browser.
import { store, useStore } from './store.js';

const NAME = 'caravan.view';

/**
 * zone     'utc' or 'local'
 * times    'age' or 'time': what tables show
 * density  'normal' or 'compact'
 * rows     how many a page of a list shows
 * hidden   columns that are not shown, by table
 */
const DEFAULTS = { zone: 'utc', times: 'age', density: 'normal', rows: 50, hidden: {} };

export const ROWS = [25, 50, 100, 250];

export const preferences = store(stored());

function stored() {
  try {
    const read = JSON.parse(localStorage.getItem(NAME));
    return { ...DEFAULTS, ...read, rows: ROWS.includes(read?.rows) ? read.rows : DEFAULTS.rows };
  } catch { // not written by the console
    return DEFAULTS;
  }
}

export function prefer(changes) {
  const next = { ...preferences.get(), ...changes };
  localStorage.setItem(NAME, JSON.stringify(next));
  preferences.set(next);
}

/** How many rows a page of a list shows. */
export function useRows() {
  return useStore(preferences).rows;
}
