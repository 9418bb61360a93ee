import { html } from '../lib/htm-preact.js';
import { Cut } from './copyable.js';
import { moment } from './format.js';
import { MessageLink, SubscriptionLink } from './parts.js';
import { Table } from './table.js';

/** What people changed. The original of an edited message is not shown here. */
export function AuditTable({ items, nothing, everywhere = false, name, isPart }) {
  return html`
    <${Table} name=${name} paged=${Boolean(name)} caption="Changes by people" nothing=${nothing} rows=${items} isPart=${isPart} rowKey=${row => row.id} columns=${[
      { head: 'When', sort: row => row.id, cell: row => html`<time datetime=${row.at}>${moment(row.at)}</time>` },
      { head: 'Who', sort: row => row.who, cell: row => html`<${Cut} text=${row.who} /> <small>via ${row.via}</small>` },
      { head: 'Action', sort: row => row.action, cell: row => row.action },
      everywhere && { head: 'Subscription', sort: row => row.subscription, cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
      { head: 'Message', sort: row => row.message, cell: row => (row.message ? html`<${MessageLink} id=${row.message} />` : '–'), kind: 'num' },
      { head: 'Reason', cell: row => html`<${Cut} error text=${row.reason} />`, kind: 'wide' },
      { head: 'Detail', cell: row => html`<small><${Cut} error text=${detail(row.detail)} /></small>` },
    ]} />`;
}

function detail(fields) {
  return Object.entries(fields ?? {})
    .filter(([name]) => name !== 'original')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
