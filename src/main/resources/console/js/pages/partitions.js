import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { bytes, moment, number } from '../format.js';
import { Loaded, Page, Section, State, SubscriptionLink } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';
import { Table } from '../table.js';

const WORDS = { 'held-back': 'held back' };

export function Partitions() {
  const poll = usePoll(signal => get('partitions', {}, signal), 5, []);
  return html`
    <${Page} title="Partitions">
      <${Section} title="Partitions of the outbox" actions=${html`<a href=${href('/help/runbooks/pruning-held-back')}>If pruning is held back</a>`}>
        <${Loaded} poll=${poll}>${data => html`
          <${Table} name="partitions" caption="Partitions of the outbox" nothing="There are no partitions." rows=${data.items} rowKey=${row => row.partition} columns=${[
            { head: 'Partition', sort: row => row.fromId, cell: row => html`<code><${Cut} text=${row.partition} /></code>` },
            { head: 'State', sort: row => row.state, cell: row => html`<${State} state=${row.state}>${WORDS[row.state] ?? row.state}<//>` },
            { head: 'From id', sort: row => row.fromId, cell: row => number(row.fromId), kind: 'num' },
            { head: 'To id', sort: row => row.toId, cell: row => number(row.toId), kind: 'num' },
            { head: 'Rows', sort: row => row.rowsEstimate, cell: row => (row.rowsEstimate === null ? '–' : `~${number(row.rowsEstimate)}`), kind: 'num' },
            { head: 'Size', sort: row => row.bytes, cell: row => bytes(row.bytes), kind: 'num' },
            { head: 'Oldest', cell: row => (row.oldest ? moment(row.oldest) : '–') },
            { head: 'Newest', cell: row => (row.newest ? moment(row.newest) : '–') },
            { head: 'Held back by', cell: row => html`<${Holders} it=${row} />`, kind: 'wide' },
          ]} />`}<//>
      <//>
    <//>`;
}

function Holders({ it }) {
  if (it.state !== 'held-back') {
    return '–';
  }
  return it.heldBackBy.length === 0
    ? 'no subscription has read it'
    : html`<ul class="inline">${it.heldBackBy.map(holder => html`
        <li key=${holder.subscription}><${SubscriptionLink} name=${holder.subscription} /> (${holder.reason.replaceAll('-', ' ')})</li>`)}</ul>`;
}
