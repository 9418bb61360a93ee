// Addresses without a hash. They contain the page and its filters, so that they can be sent to a colleague.
import { store, useStore } from './store.js';

const ROOT = '/console';
const OTHER = /^\/console\/outboxes\/([^/]+)/;

/**
 * The name of another outbox of the database that the pages show; null for that of the relay. It is part of the address. It never changes
 * while the page is loaded: choosing another outbox loads the page again, so that no request reaches the wrong outbox.
 */
export const outbox = named(location.pathname);

const BASE = outbox === null ? ROOT : OTHER.exec(location.pathname)[0];

function named(path) {
  const name = OTHER.exec(path)?.[1];
  try {
    return name === undefined ? null : decodeURIComponent(name);
  } catch {
    return null; // not an address of the console
  }
}

/** The address of a page for another outbox; null for that of the relay. */
export function elsewhere(name, path) {
  return ROOT + (name === null ? '' : `/outboxes/${encodeURIComponent(name)}`) + path;
}

function read() {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';
  return { path, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

const here = store(read());

export function useLocation() {
  return useStore(here);
}

/** The address of a page; filters that are empty are left out. */
export function href(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return BASE + path + (given.length === 0 ? '' : '?' + new URLSearchParams(given));
}

export function go(address) {
  if (address !== location.pathname + location.search) {
    history.pushState(null, '', address);
    here.set(read());
  }
}

addEventListener('popstate', () => (named(location.pathname) === outbox ? here.set(read()) : location.reload()));

document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href]');
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || link.target || link.origin !== location.origin
      || !link.pathname.startsWith(BASE + '/') || named(link.pathname) !== outbox || (link.hash && link.pathname === location.pathname)) {
    return;
  }
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
  if (!link.hash && link.dataset.stay === undefined) {
    scrollTo(0, 0);
  }
});
