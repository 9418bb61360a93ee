// Discarded dead letters that are still stored.
import { html } from '../../lib/htm-preact.js';
import { undoDiscard } from '../actions.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { Export } from '../export.js';
import { Filters, Pages, isPart, subscriptionChoice } from '../filters.js';
import { Ago, Button, KeyLink, Loaded, Operator, Page, Section, SubscriptionLink, keyOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { useRows } from '../preferences.js';
import { Table } from '../table.js';

const PATH = '/dead-letters/discarded';

export function Discarded({ query, overview }) {
  const rows = useRows();
  const { after, ...filter } = query;
  const poll = usePoll(signal => get('dead-letters/discarded', { ...query, limit: rows }, signal), 5, [JSON.stringify(query)], rows);
  return html`
    <${Page} title="Discarded dead letters" parent=${{ title: 'Dead letters', path: '/dead-letters' }} actions=${html`<${Export} list="dead-letters/discarded" filter=${filter} />`}>
      <${Filters} page=${PATH} query=${query} fields=${[
        subscriptionChoice(overview, query.subscription),
        { name: 'key', label: 'Key', hint: 'order/77' },
        { name: 'error', label: 'Error', hint: 'part of class or text' },
        { name: 'since', label: 'Discarded since', hint: '2h, 1d or a time', time: true },
        ...(query.discard ? [{ name: 'discard', label: 'Discarded together', hint: 'of the table below' }] : []),
      ]} />
      <${Section} title="Latest discard first">
        <${Loaded} poll=${poll}>${data => html`
          <${Table} name="discarded" paged caption="Discarded dead letters, latest discard first" nothing=${data.next ? 'None found so far.' : Object.keys(query).length > 0 ? 'No discarded dead letter matches.' : 'No discarded dead letters are kept.'} rows=${data.items} isPart=${isPart(query, data)}
            rowKey=${row => `${row.subscription} ${row.id}`} columns=${[
              { head: 'Message', sort: row => row.id, cell: row => row.id, kind: 'num' },
              { head: 'Key', sort: row => keyOf(row), cell: row => html`<${KeyLink} name=${keyOf(row)} />` },
              { head: 'Subscription', sort: row => row.subscription, cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
              { head: 'Discarded', sort: row => Date.parse(row.discardedAt), cell: row => html`<${Ago} at=${row.discardedAt} />` },
              { head: 'By', sort: row => row.discardedBy, cell: row => html`<${Cut} text=${row.discardedBy} />` },
              { head: 'Reason', cell: row => html`<${Cut} error text=${row.reason} />` },
              { head: 'Error', cell: row => html`<${Cut} error text=${row.answer ?? row.errorText} />`, kind: 'wide' },
              { head: 'Undo', cell: row => html`<${Operator}><${Button} onClick=${() => undoDiscard(row, poll.refresh)}>Undo …<//><//>` },
            ]} />
          <${Pages} page=${PATH} query=${query} data=${data} />`}<//>
      <//>
    <//>`;
}
