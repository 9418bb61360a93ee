import { html } from '../lib/htm-preact.js';
import { moment } from './format.js';
import { MessageLink, SubscriptionLink, Table } from './parts.js';

/** What people changed. The original of an edited message is not shown here. */
export function AuditTable({ items, nothing, everywhere = false }) {
  return html`
    <${Table} caption="Changes by people" nothing=${nothing} rows=${items} rowKey=${row => row.id} columns=${[
      { head: 'When', cell: row => html`<time datetime=${row.at}>${moment(row.at)}</time>` },
      { head: 'Who', cell: row => html`${row.who} <small>via ${row.via}</small>` },
      { head: 'Action', cell: row => row.action },
      everywhere && { head: 'Subscription', cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
      { head: 'Message', cell: row => (row.message ? html`<${MessageLink} id=${row.message} />` : '–'), kind: 'num' },
      { head: 'Reason', cell: row => row.reason ?? '–', kind: 'wide' },
      { head: 'Detail', cell: row => html`<small>${detail(row.detail)}</small>` },
    ]} />`;
}

function detail(fields) {
  return Object.entries(fields ?? {})
    .filter(([name]) => name !== 'original')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
