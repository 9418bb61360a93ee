import { html } from '../../lib/htm-preact.js';
import { changeDeadLetters, markGroup } from '../actions.js';
import { get } from '../api.js';
import { BulkBar } from '../bulk-bar.js';
import { Cut } from '../copyable.js';
import { Export } from '../export.js';
import { Filters, Pages, isPart, sortingOf, subscriptionChoice } from '../filters.js';
import { error, number } from '../format.js';
import { Ago, Bars, Button, KeyLink, Loaded, Operator, Page, Section, SubscriptionLink, keyOf, useMay } from '../parts.js';
import { usePoll } from '../poll.js';
import { useRows } from '../preferences.js';
import { href } from '../router.js';
import { useSelection } from '../selection.js';
import { Table } from '../table.js';

const PATH = '/dead-letters';
const TITLES = { '-lastFailedAt': 'Newest first', lastFailedAt: 'Oldest first', id: 'Lowest id first', '-id': 'Highest id first' };
const FILTERS = ['subscription', 'type', 'key', 'error', 'since', 'until', 'messageId', 'group'];

export function DeadLetters({ query, overview }) {
  const filter = Object.fromEntries(FILTERS.map(name => [name, query[name]]).filter(([, value]) => value));
  const about = JSON.stringify(filter);
  const groups = usePoll(signal => get('dead-letters/groups', filter, signal), 5, [about]);
  const rows = useRows();
  const sorting = sortingOf(PATH, query, filter.messageId ? [] : ['lastFailedAt', 'id'], '-lastFailedAt');
  const list = usePoll(signal => get('dead-letters', { ...filter, sort: sorting.asked, after: query.after, limit: rows }, signal), 5, [about, sorting.asked, query.after], rows);
  const selection = useSelection(about);
  const changed = () => {
    groups.refresh();
    list.refresh();
    overview.refresh();
  };
  return html`
    <${Page} title="Dead letters" actions=${html`
      ${!filter.messageId && list.data?.items.length > 0 && html`<${Actions} filter=${filter} changed=${changed} />`}
      <${Export} list="dead-letters" filter=${{ ...filter, sort: sorting.asked }} content />`}>
      <${Filters} page=${PATH} query=${query} keep=${{ sort: sorting.asked }} fields=${[
        subscriptionChoice(overview, query.subscription),
        { name: 'error', label: 'Error', hint: 'part of class or text' },
        { name: 'key', label: 'Key', hint: 'order/77' },
        { name: 'type', label: 'Types', hint: 'order.*' },
        { name: 'since', label: 'Failed since', hint: '2h, 1d or a time', time: true },
        { name: 'until', label: 'Failed until', hint: '30m or a time', time: true },
        { name: 'messageId', label: 'Message id', hint: 'a UUID' },
        ...(query.group ? [{ name: 'group', label: 'Group of errors', hint: 'of the table below' }] : []),
      ]} />
      ${!filter.messageId && html`<${Section} title="By error"><${Loaded} poll=${groups}>${data => html`<${Groups} data=${data} query=${query} filtered=${about !== '{}'} changed=${groups.refresh} />`}<//><//>`}
      <p><a href=${href(`${PATH}/discarded`)}>Discarded dead letters that are still kept</a></p>
      <${Section} title=${TITLES[sorting.by]}>
        <${Loaded} poll=${list}>${data => html`
          <${List} data=${data} isPart=${isPart(query, data)} sorting=${sorting} filtered=${about !== '{}'} filter=${filter} selection=${selection} changed=${changed} />
          <${Pages} page=${PATH} query=${query} data=${data} />`}<//>
      <//>
    <//>`;
}

function Actions({ filter, changed }) {
  return html`
    <${Operator}>
      <${Button} onClick=${() => changeDeadLetters('retry', filter, changed)}>Retry all matching …<//>
      <${Button} kind="danger" onClick=${() => changeDeadLetters('discard', filter, changed)}>Discard all matching …<//>
    <//>`;
}

function Groups({ data, query, filtered, changed }) {
  const operator = useMay('operate');
  const only = group => href(PATH, { ...query, after: undefined, subscription: group.subscription, group: group.group });
  return html`
    <${Table} caption="Dead letters by subscription and error" nothing=${filtered ? 'No dead letter matches.' : 'There are no dead letters.'} rows=${data.items} isPart=${!data.complete}
      rowKey=${row => `${row.subscription} ${row.group}`} columns=${[
        { head: 'Error', sort: row => row.errorClass, cell: row => html`<${Cut} error text=${error(row.errorClass, row.pattern)} address=${only(row)} />
          ${(row.known || row.note) && html`<p class="mark quiet">${row.known && html`<strong>known</strong> `}${row.note ?? ''} <small title=${row.markedAt}>${row.markedBy}</small></p>`}`, kind: 'wide' },
        { head: 'Subscription', sort: row => row.subscription, cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
        { head: 'Messages', sort: row => row.count, cell: row => number(row.count), kind: 'num' },
        { head: 'First', sort: row => Date.parse(row.firstSeen), cell: row => html`<${Ago} at=${row.firstSeen} />` },
        { head: 'Last', sort: row => Date.parse(row.lastSeen), cell: row => html`<${Ago} at=${row.lastSeen} />` },
        { head: 'Trend', cell: row => html`<${Bars} counts=${row.trend} what="New dead letters" />` },
        operator && { head: 'Note', cell: row => html`<${Button} onClick=${() => markGroup(row, changed)}>${row.known || row.note ? 'Edit …' : 'Add …'}<//>` },
      ]} />
    ${!data.complete && html`<p class="quiet">Not all dead letters were counted. Use filters to see the others.</p>`}`;
}

function List({ data: { items, next }, isPart, sorting, filtered, filter, selection, changed }) {
  const operator = useMay('operate');
  const bar = html`
    <${BulkBar} selection=${selection} filter=${filter} what="dead-letters/bulk" changed=${changed}>${(selected, after) => html`
      <${Button} onClick=${() => changeDeadLetters('retry', selected, after)}>Retry …<//>
      <${Button} kind="danger" onClick=${() => changeDeadLetters('discard', selected, after)}>Discard …<//>`}<//>`;
  return html`
    <${Table} name="dead-letters" paged selection=${operator ? selection : undefined} bar=${bar} caption="Dead letters" nothing=${next ? 'None found so far.' : filtered ? 'No dead letter matches.' : 'There are no dead letters.'} rows=${items} isPart=${isPart} sorting=${sorting}
      rowKey=${row => `${row.subscription} ${row.id}`} columns=${[
        { head: 'Message', sort: row => row.id, field: 'id', cell: row => html`<a class="id" href=${href(`${PATH}/${row.subscription}/${row.id}`)}>${row.id}</a>`, kind: 'num' },
        { head: 'Key', sort: row => keyOf(row), cell: row => html`<${KeyLink} name=${keyOf(row)} />` },
        { head: 'Subscription', sort: row => row.subscription, cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
        { head: 'Type', sort: row => row.type, cell: row => html`<${Cut} text=${row.type} />` },
        { head: 'Attempts', sort: row => row.attempts, cell: row => row.attempts, kind: 'num' },
        { head: 'Failed', sort: row => Date.parse(row.lastFailedAt), field: 'lastFailedAt', cell: row => html`<${Ago} at=${row.lastFailedAt} />` },
        { head: 'Error', sort: row => row.errorClass, cell: row => html`<${Cut} error text=${row.answer ?? error(row.errorClass, row.errorText)} />`, kind: 'wide' },
      ]} />`;
}
