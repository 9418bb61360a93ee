import { html } from '../../lib/htm-preact.js';
import { changeRetries } from '../actions.js';
import { get } from '../api.js';
import { BulkBar } from '../bulk-bar.js';
import { Cut } from '../copyable.js';
import { Export } from '../export.js';
import { Filters, Pages, isPart, sortingOf, subscriptionChoice } from '../filters.js';
import { error } from '../format.js';
import { Obstacle } from '../outcome.js';
import { Ago, Button, KeyLink, Loaded, Operator, Page, Section, SubscriptionLink, keyOf, useMay } from '../parts.js';
import { usePoll } from '../poll.js';
import { useRows } from '../preferences.js';
import { href } from '../router.js';
import { useSelection } from '../selection.js';
import { Table } from '../table.js';

const PATH = '/retries';
const TITLES = { nextAttemptAt: 'Next attempt first', '-nextAttemptAt': 'Latest attempt first', id: 'In order of id', '-id': 'Highest id first' };
const FILTERS = ['subscription', 'type', 'key', 'error', 'failingSince'];

export function Retries({ query, overview }) {
  const blocked = query.blocked === 'true';
  const filter = Object.fromEntries(FILTERS.map(name => [name, query[name]]).filter(([, value]) => value));
  const about = JSON.stringify(filter);
  const rows = useRows();
  const field = blocked || filter.key ? 'id' : 'nextAttemptAt';
  const sorting = sortingOf(PATH, query, [field], field);
  const poll = usePoll(signal => get('retries', { ...filter, blocked, sort: sorting.asked, after: query.after, limit: rows }, signal), 4, [about, blocked, sorting.asked, query.after], rows);
  const selection = useSelection(about + blocked);
  const changed = () => {
    poll.refresh();
    overview.refresh();
  };
  const tab = (value, title) => html`<a href=${href(PATH, { ...filter, blocked: value })} aria-current=${(value === 'true') === blocked ? 'page' : undefined}>${title}</a>`;
  return html`
    <${Page} title="Retries" actions=${html`
      ${!blocked && poll.data?.items.length > 0 && html`<${Operator}>
        <${Button} onClick=${() => changeRetries('retry', filter, changed)}>Retry all matching now …<//>
        <${Button} kind="danger" onClick=${() => changeRetries('give-up', filter, changed)}>Give up all matching …<//>
      <//>`}
      <${Export} list="retries" filter=${{ ...filter, blocked, sort: sorting.asked }} content />`}>
      <nav class="tabs" aria-label="Kind of waiting messages">${tab(undefined, 'Waiting for an attempt')}${tab('true', 'Blocked behind another')}</nav>
      <${Filters} page=${PATH} query=${query} keep=${{ blocked: query.blocked, sort: sorting.asked }} fields=${[
        subscriptionChoice(overview, query.subscription),
        { name: 'error', label: 'Error', hint: 'part of class or text' },
        { name: 'key', label: 'Key', hint: 'order/77' },
        { name: 'type', label: 'Types', hint: 'order.*' },
        { name: 'failingSince', label: 'Failing for at least', hint: '1h or a time', time: true },
      ]} />
      <${Section} title=${TITLES[sorting.by]}>
        <${Loaded} poll=${poll}>${data => html`
          <${List} data=${data} isPart=${isPart(query, data)} sorting=${sorting} blocked=${blocked} filtered=${about !== '{}'} filter=${filter} selection=${selection} changed=${changed} />
          <${Pages} page=${PATH} query=${query} data=${data} />`}<//>
      <//>
    <//>`;
}

function List({ data: { items, next }, isPart, sorting, blocked, filtered, filter, selection, changed }) {
  const operator = useMay('operate');
  const bar = html`
    <${BulkBar} selection=${selection} filter=${filter} what="retries/bulk" changed=${changed}>${(selected, after) => html`
      <${Button} onClick=${() => changeRetries('retry', selected, after)}>Retry now …<//>
      <${Button} kind="danger" onClick=${() => changeRetries('give-up', selected, after)}>Give up …<//>`}<//>`;
  const nothing = blocked ? 'No message is blocked.' : 'No message waits for another attempt.';
  return html`
    <${Table} name=${blocked ? 'blocked' : 'retries'} paged selection=${operator && !blocked ? selection : undefined} bar=${bar} caption=${blocked ? 'Blocked messages' : 'Waiting messages'} nothing=${next ? 'None found so far.' : filtered ? 'No message matches.' : nothing} rows=${items} isPart=${isPart} sorting=${sorting}
      rowKey=${row => `${row.subscription} ${row.id}`} columns=${[
        { head: 'Message', sort: row => row.id, field: 'id', cell: row => html`<a class="id" href=${href(`${PATH}/${row.subscription}/${row.id}`)}>${row.id}</a>`, kind: 'num' },
        { head: 'Key', sort: row => keyOf(row), cell: row => html`<${KeyLink} name=${keyOf(row)} />` },
        { head: 'Subscription', sort: row => row.subscription, cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
        { head: 'Type', sort: row => row.type, cell: row => html`<${Cut} text=${row.type} />` },
        blocked
          ? { head: 'Waits for', cell: row => html`<${WaitsFor} it=${row} />` }
          : { head: 'Next attempt', sort: row => Date.parse(row.nextAttemptAt), field: 'nextAttemptAt', cell: row => (row.obstacle ? html`<${Obstacle} it=${row.obstacle} of=${row.subscription} />` : html`<${Ago} at=${row.nextAttemptAt} />`) },
        { head: 'Attempts', sort: row => row.attempts, cell: row => row.attempts, kind: 'num' },
        { head: 'Failing since', sort: row => Date.parse(row.firstFailedAt), cell: row => html`<${Ago} at=${row.firstFailedAt} />` },
        { head: 'Error', sort: row => row.errorClass, cell: row => html`<${Cut} error text=${row.answer ?? error(row.errorClass, row.errorText)} />`, kind: 'wide' },
      ]} />`;
}

export function WaitsFor({ it }) {
  if (it.waitsForId) {
    return html`<a href=${href(`${PATH}/${it.subscription}/${it.waitsForId}`)}>${it.waitsForId}</a>`;
  }
  return it.deadLetterOfKey
    ? html`<a href=${href(`/dead-letters/${it.subscription}/${it.deadLetterOfKey}`)}>dead letter ${it.deadLetterOfKey}</a>, or its turn`
    : 'its turn';
}
