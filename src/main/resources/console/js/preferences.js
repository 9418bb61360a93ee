// How a person wants to see tables and times, and the name for the audit. Stored in this browser.
import { store, useStore } from './store.js';

const VIEW = 'caravan.view';
const NAME = 'caravan.name';

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
    const read = JSON.parse(localStorage.getItem(VIEW));
    return { ...DEFAULTS, ...read, rows: ROWS.includes(read?.rows) ? read.rows : DEFAULTS.rows };
  } catch { // not written by the console
    return DEFAULTS;
  }
}

export function prefer(changes) {
  const next = { ...preferences.get(), ...changes };
  localStorage.setItem(VIEW, JSON.stringify(next));
  preferences.set(next);
}

/** How many rows a page of a list shows. */
export function useRows() {
  return useStore(preferences).rows;
}

/** The name that a person has given for the audit; empty if none. */
export const nameForAudit = store(localStorage.getItem(NAME) ?? '');

export function rememberName(name) {
  localStorage.setItem(NAME, name);
  nameForAudit.set(name);
}
