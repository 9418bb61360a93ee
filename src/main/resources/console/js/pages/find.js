// One search over dead letters, waiting messages and the outbox.
import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { Filters } from '../filters.js';
import { error } from '../format.js';
import { Ago, Loaded, Page, Section, State, SubscriptionLink, keyOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { useRows } from '../preferences.js';
import { href } from '../router.js';
import { Table } from '../table.js';

const PATH = '/find';

export function Find({ query }) {
  return html`
    <${Page} title="Find">
      <${Filters} page=${PATH} query=${query} fields=${[{ name: 'text', label: 'Key, id, message id or error', hint: 'order/77', broad: true }]} />
      ${query.text && html`<${Results} key=${query.text} text=${query.text} />`}
    <//>`;
}

function Results({ text }) {
  const rows = useRows();
  const poll = usePoll(signal => get('find', { text, limit: rows }, signal), 5, [text], rows);
  return html`
    <${Section} title="Latest failure first">
      <${Loaded} poll=${poll}>${({ items, complete }) => html`
        <${Table} name="find" paged caption="Messages that were found" nothing=${complete ? 'Nothing found.' : 'Nothing found among the latest messages.'} rows=${items} isPart=${!complete}
          rowKey=${row => `${row.state} ${row.subscription} ${row.id}`} columns=${[
            { head: 'State', sort: row => row.state, cell: row => html`<${State} state=${row.state} />` },
            { head: 'Message', sort: row => row.id, cell: row => html`<a class="id" href=${href(address(row))}>${row.id}</a>`, kind: 'num' },
            { head: 'Key', sort: row => keyOf(row), cell: row => html`<${Cut} text=${keyOf(row)} />` },
            { head: 'Subscription', sort: row => row.subscription, cell: row => (row.subscription ? html`<${SubscriptionLink} name=${row.subscription} />` : '–') },
            { head: 'Type', sort: row => row.type, cell: row => html`<${Cut} text=${row.type} />` },
            { head: 'When', sort: row => Date.parse(row.at), cell: row => html`<${Ago} at=${row.at} />` },
            { head: 'Error', cell: row => html`<${Cut} error text=${error(row.errorClass, row.errorText)} />`, kind: 'wide' },
          ]} />
        <p class="quiet">
          ${!complete && html`There may be more: use the filters of <a href=${href('/dead-letters')}>dead letters</a> or <a href=${href('/retries')}>retries</a>. `}
          ${text.includes('/') && html`Only the newest 50,000 messages of the outbox were searched. <a href=${href('/messages', { key: text })}>Search older messages</a>`}
        </p>`}<//>
    <//>`;
}

function address(row) {
  if (row.state === 'dead') {
    return `/dead-letters/${row.subscription}/${row.id}`;
  }
  return row.subscription ? `/retries/${row.subscription}/${row.id}` : `/messages/${row.id}`;
}
