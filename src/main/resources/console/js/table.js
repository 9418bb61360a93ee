// Tables: order, columns, density, and rows that can be selected.
import { html, useEffect, useRef, useState } from '../lib/htm-preact.js';
import { Empty } from './parts.js';
import { ROWS, prefer, preferences } from './preferences.js';
import { useStore } from './store.js';

/**
 * On a phone, rows are shown as cards; because of the roles, screen readers still read a table.
 *
 * @param columns {head, cell, kind, sort, field}; sort gives the value of a row to sort by; field is what the API calls it if the relay can sort
 *   the whole list by it
 * @param name of a table whose columns a person may choose; the browser stores the choice under this name
 * @param paged whether a person may choose the number of rows
 * @param selection of useSelection, if rows can be selected
 * @param bar the changes that can be made to the selected rows
 * @param isPart whether the list has other rows, which are not on this page
 * @param sorting of sortingOf, if the relay can sort the whole list
 */
export function Table({ caption, columns, rows, rowKey, nothing, name, paged, selection, bar, isPart, sorting }) {
  const view = useStore(preferences);
  const [order, setOrder] = useState(null);
  if (rows.length === 0) {
    return html`<${Empty}>${nothing}<//>`;
  }
  const present = columns.filter(Boolean);
  const hidden = (name && view.hidden[name]) || [];
  const shown = present.filter(column => !hidden.includes(column.head));
  const sorted = ordered(rows, present.find(column => column.head === order?.head)?.sort, order?.down);
  const entries = sorted.map(row => [rowKey(row), row]);
  return html`
    ${name && html`<${Toolbar} name=${name} columns=${present} hidden=${hidden} paged=${paged} selection=${selection} bar=${bar} />`}
    ${isPart && order && html`<p class="quiet" role="status">Sorted by ${order.head} within this page; the list has more rows.</p>`}
    <div class="table-frame">
    <table role="table" aria-label=${caption} class=${`${view.density}${selection ? ' selectable' : ''}`}>
      <thead role="rowgroup"><tr role="row">
        ${selection && html`<th role="columnheader" scope="col" class="pick"><${PickPage} entries=${entries} selection=${selection} /></th>`}
        ${shown.map(column => html`<${Head} key=${column.head} column=${column} order=${order} onOrder=${setOrder} isPart=${isPart} sorting=${sorting} />`)}
      </tr></thead>
      <tbody role="rowgroup">
        ${entries.map(([key, row]) => html`
          <tr role="row" key=${key} class=${selection?.has(key) ? 'selected' : undefined}>
            ${selection && html`<td role="cell" class="pick"><${Pick} id=${key} entries=${entries} selection=${selection} /></td>`}
            ${shown.map(column => html`<td role="cell" class=${column.kind} data-head=${column.head}><div>${column.cell(row)}</div></td>`)}
          </tr>`)}
      </tbody>
    </table>
    </div>`;
}

/** The first click sorts in ascending order, the second in descending order, the third restores the original order. */
function Head({ column, order, onOrder, isPart, sorting }) {
  const whole = sorting?.fields.includes(column.field);
  const direction = whole ? (order ? undefined : sorting.directionOf(column.field)) : order?.head === column.head ? (order.down ? 'descending' : 'ascending') : undefined;
  function sort() {
    onOrder(whole || direction === 'descending' ? null : { head: column.head, down: direction === 'ascending' });
    if (whole) {
      sorting.sort(column.field, direction);
    }
  }
  return html`
    <th role="columnheader" scope="col" class=${column.kind} aria-sort=${direction}>${column.sort
      ? html`<button type="button" class="sort" title=${whole ? 'Sort the whole list' : isPart ? 'Sort the rows of this page' : 'Sort'} onClick=${sort}>${column.head}<span aria-hidden="true">${direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}</span></button>`
      : column.head}</th>`;
}

/** Rows without a value are last. */
export function ordered(rows, value, down) {
  const missing = row => value(row) === null || value(row) === undefined;
  const compare = (a, b) => (typeof a === 'string' ? a.localeCompare(b, 'en', { numeric: true }) : a - b) * (down ? -1 : 1);
  return value ? [...rows].sort((a, b) => missing(a) - missing(b) || (missing(a) ? 0 : compare(value(a), value(b)))) : rows;
}

function Pick({ id, entries, selection }) {
  return html`<label><input type="checkbox" data-pick checked=${selection.has(id)} aria-label=${`Select ${id}`}
    onClick=${event => selection.toggle(id, entries, event.shiftKey)} /></label>`;
}

function PickPage({ entries, selection }) {
  const box = useRef();
  const some = entries.some(([key]) => selection.has(key));
  const every = entries.every(([key]) => selection.has(key));
  useEffect(() => {
    box.current.indeterminate = some && !every;
  }, [some, every]);
  return html`<label><input ref=${box} type="checkbox" data-pick-page checked=${every} aria-label="Select all rows of this page"
    onClick=${() => selection.togglePage(entries)} /></label>`;
}

function Toolbar({ name, columns, hidden, paged, selection, bar }) {
  const selected = selection && (selection.all !== null || selection.size > 0);
  return html`
    <div class=${`table-bar${selected ? ' has-selection' : ''}`}>
      <div class="bulk" role="status">${selected && bar}</div>
      <${View} name=${name} columns=${columns} hidden=${hidden} paged=${paged} />
    </div>`;
}

function View({ name, columns, hidden, paged }) {
  const view = useStore(preferences);
  const box = useRef();
  const choice = (label, field, values) => html`
    <label class="choice"><span>${label}</span>
      <select name=${field} value=${String(view[field])} onChange=${event => prefer({ [field]: field === 'rows' ? Number(event.target.value) : event.target.value })}>
        ${values.map(([value, text]) => html`<option value=${String(value)} selected=${value === view[field]}>${text}</option>`)}
      </select></label>`;
  const show = (head, shown) => prefer({ hidden: { ...view.hidden, [name]: shown ? hidden.filter(each => each !== head) : [...hidden, head] } });
  function closed(event) {
    if (event.key === 'Escape') {
      box.current.open = false;
      box.current.querySelector('summary').focus();
    }
  }
  return html`
    <details class="view" ref=${box} onKeyDown=${closed} onFocusOut=${event => { if (event.relatedTarget && !box.current.contains(event.relatedTarget)) { box.current.open = false; } }}>
      <summary class="button">View</summary>
      <div class="view-box">
        ${paged && choice('Rows', 'rows', ROWS.map(rows => [rows, rows]))}
        ${choice('Density', 'density', [['normal', 'normal'], ['compact', 'compact']])}
        ${choice('Times', 'times', [['age', 'age'], ['time', 'date and time']])}
        ${choice('Time zone', 'zone', [['utc', 'UTC'], ['local', 'local']])}
        <fieldset><legend>Columns</legend>
          ${columns.map((column, i) => html`
            <label key=${column.head}><input type="checkbox" checked=${!hidden.includes(column.head)} disabled=${i === 0} onChange=${event => show(column.head, event.target.checked)} /> ${column.head}</label>`)}
        </fieldset>
      </div>
    </details>`;
}
