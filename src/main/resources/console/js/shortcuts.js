// Keyboard shortcuts.
import { html, useEffect, useRef } from '../lib/htm-preact.js';
import { go, href } from './router.js';
import { store, useStore } from './store.js';

export const help = store(false);

const GO = {
  o: ['Overview', '/'],
  d: ['Dead letters', '/dead-letters'],
  r: ['Retries', '/retries'],
  m: ['Messages', '/messages'],
  e: ['Relays', '/relays'],
  p: ['Partitions', '/partitions'],
  a: ['Audit', '/audit'],
  j: ['Jobs', '/jobs'],
  h: ['Help', '/help'],
};

export function Shortcuts() {
  const shown = useStore(help);
  useEffect(() => {
    let going = false;
    function pressed(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')
          || event.target.closest?.('input:not([type=checkbox]), textarea, select')) {
        return;
      }
      const target = going && GO[event.key];
      going = event.key === 'g' && !going;
      if (target) {
        go(href(target[1]));
      } else if (event.key === '/') {
        document.querySelector('[data-search]').focus();
      } else if (event.key === '?') {
        help.set(true);
      } else if (['n', 'p'].includes(event.key)) {
        step(event.key === 'n' ? 1 : -1);
      } else if (['x', 'X'].includes(event.key)) {
        document.activeElement.closest('tr')?.querySelector('[data-pick]')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
      } else if (event.key === 'A') {
        document.querySelector('[data-pick-page]')?.click();
      } else if (event.key === 'b') {
        document.querySelector('.bulk button')?.focus();
      } else if (event.key === 'v') {
        document.querySelector('main .table-bar summary')?.click();
        document.querySelector('main .table-bar summary')?.focus();
      } else {
        return;
      }
      event.preventDefault();
    }
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return shown && html`<${Overlay} />`;
}

/** Moves the focus to the first link of the next or previous row in the tables of a page. */
function step(by) {
  const rows = [...document.querySelectorAll('main tbody tr')].filter(row => row.querySelector('a'));
  const at = rows.findIndex(row => row.contains(document.activeElement));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.querySelector('a').focus();
}

function Overlay() {
  const box = useRef();
  useEffect(() => box.current.showModal(), []);
  const keys = [
    ['/', 'Search'], ['n  p', 'Next, previous row'], ['Enter', 'Open the row'], ['x', 'Select the row'], ['X', 'Select a range'], ['A', 'Select the page'], ['b', 'Act on the selection'], ['v', 'Rows, columns, times'], ['Esc', 'Close a dialog'], ['?', 'This list'],
    ...Object.entries(GO).map(([key, [title]]) => [`g ${key}`, title]),
  ];
  return html`
    <dialog ref=${box} aria-labelledby="keys" onClose=${() => help.set(false)}>
      <h2 id="keys">Keyboard shortcuts</h2>
      <dl class="keys">${keys.map(([key, what]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
      <div class="buttons"><button class="primary" onClick=${() => box.current.close()}>Close</button></div>
    </dialog>`;
}
