// Addresses without a hash: what is shown, filters included, can be sent to a colleague.
import { store, useStore } from './store.js';

const BASE = '/console';

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

addEventListener('popstate', () => here.set(read()));

document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href]');
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || link.target || link.origin !== location.origin
      || !link.pathname.startsWith(BASE + '/') || (link.hash && link.pathname === location.pathname)) {
    return;
  }
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
  if (!link.hash && link.dataset.stay === undefined) {
    scrollTo(0, 0);
  }
});
