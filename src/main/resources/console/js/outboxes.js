// The outboxes of the database: the one that is shown, and the states of the others.
import { html } from '../lib/htm-preact.js';
import { Cut } from './copyable.js';
import { count, duration, number } from './format.js';
import { Section, State } from './parts.js';
import { elsewhere, outbox } from './router.js';
import { Table } from './table.js';

const CLOSED = ['no permission', 'not trusted', 'not readable'];

/** The lists that each outbox has. The same list is shown when a person chooses another outbox. */
const LISTS = ['/dead-letters', '/dead-letters/discarded', '/retries', '/messages', '/relays', '/partitions', '/audit', '/jobs'];

function isOpen(row) {
  return !CLOSED.includes(row.state);
}

function isShown(row) {
  return outbox === null ? row.own : row.outbox === outbox;
}

function address(row, path) {
  return elsewhere(row.own ? null : row.outbox, LISTS.includes(path) ? path : '/');
}

/** Chooses the outbox that the console shows; not shown if there is no other. */
export function OutboxChoice({ rows, path }) {
  const open = rows.filter(row => isOpen(row) || isShown(row));
  if (open.length < 2) {
    return null;
  }
  const shown = open.find(isShown);
  const choose = event => location.assign(address(open.find(row => row.outbox === event.target.value), path));
  return html`
    <label class="outbox-choice"><span aria-hidden="true">Outbox</span>
      <select name="outbox" aria-label="Outbox" value=${shown?.outbox ?? ''} onChange=${choose}>
        ${!shown && html`<option value="" selected>${outbox}</option>`}
        ${open.map(row => html`<option key=${row.outbox} value=${row.outbox} selected=${row === shown}>${row.outbox}${row === shown || row.state === 'healthy' ? '' : ` – ${row.state}`}</option>`)}
      </select></label>`;
}

/** Reminds a person that the console shows another outbox than that of its relay. */
export function Elsewhere({ relay, rows }) {
  return outbox !== null && !rows.some(row => row.own && row.outbox === outbox) && html`
    <aside class="elsewhere" aria-label="Outbox">Outbox <strong>${outbox}</strong>, shown by the relay <code>${relay}</code> of another outbox.${' '}
      <a href=${elsewhere(null, '/')}>Back to its own</a></aside>`;
}

/** A link to the relay's own outbox, for a person who may not see the outbox in the address. */
export function BackHome() {
  return outbox !== null && html`<p><a href=${elsewhere(null, '/')}>Back to the relay's own outbox</a></p>`;
}

/** The other outboxes, on the overview. */
export function OtherOutboxes({ rows }) {
  const others = rows.filter(row => !isShown(row));
  const closed = others.filter(row => !isOpen(row));
  return others.length > 0 && html`
    <${Section} title="Other outboxes of this database" id="outboxes">
      ${others.length > closed.length && html`
        <${Table} caption="Other outboxes" rows=${others.filter(isOpen)} rowKey=${row => row.outbox} columns=${[
          { head: 'Outbox', sort: row => row.outbox, cell: row => html`<${Cut} text=${row.outbox} address=${address(row, '/')} />` },
          { head: 'State', sort: row => row.state, kind: 'wide', cell: row => html`<${State} state=${row.state} />${row.text !== row.state && html`<br /><span class="quiet">${row.text.replace(`${row.state}: `, '')}</span>`}` },
          { head: 'Subscriptions', sort: row => row.subscriptions, kind: 'num', cell: row => number(row.subscriptions) },
          { head: 'Backlog', sort: row => row.backlog, kind: 'num', cell: row => number(row.backlog) },
          { head: 'Lag', sort: row => row.lagSeconds, kind: 'num', cell: row => duration(row.lagSeconds) },
          { head: 'Dead letters', sort: row => row.deadLetters.atLeast, kind: 'num', cell: row => count(row.deadLetters) },
          { head: 'Relays', cell: row => (row.relays.length === 0 ? html`<span class="quiet">none</span>` : row.relays.map(relay => html`<code key=${relay}><${Cut} text=${relay} /></code> `)) },
        ]} />`}
      ${closed.length > 0 && html`
        <details class="closed-outboxes">
          <summary>${closed.length === 1 ? '1 outbox that this relay cannot read' : `${closed.length} outboxes that this relay cannot read`}</summary>
          <ul>${closed.map(row => html`<li key=${row.outbox}><strong>${row.outbox}</strong> is ${row.text}</li>`)}</ul>
        </details>`}
    <//>`;
}
