import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { changeBulkRetry } from '../actions.js';
import { Cut } from '../copyable.js';
import { number } from '../format.js';
import { Bar, Cancel, Done, Outcome } from '../job.js';
import { Ago, Button, Loaded, Operator, Page, Section, State, SubscriptionLink } from '../parts.js';
import { usePoll } from '../poll.js';
import { Table } from '../table.js';

export function Jobs() {
  const poll = usePoll(signal => get('jobs', {}, signal), 2, []);
  const retries = usePoll(signal => get('bulk-retries', {}, signal), 2, []);
  return html`
    <${Page} title="Jobs">
      <${Section} title="Changes of many messages">
        <p class="quiet">These are the last 100 jobs of the last seven days. Relays continue them when this page is closed. The audit records their changes.</p>
        <${Loaded} poll=${poll}>${data => html`
          <${Table} name="jobs" caption="Jobs, newest first" nothing="There were no jobs in the last days." rows=${data.items} rowKey=${row => row.id} columns=${[
            { head: 'Action', sort: row => row.action, cell: row => row.action },
            { head: 'Subscription', sort: row => row.subscription, cell: row => (row.subscription ? html`<${SubscriptionLink} name=${row.subscription} />` : 'all') },
            { head: 'State', sort: row => row.state, cell: row => html`<${State} state=${row.state} busy=${row.state === 'running'} />` },
            { head: 'Done', sort: row => row.done, cell: row => html`<${Done} job=${row} /> <${Bar} job=${row} /> <${Outcome} job=${row} retries=${retries.data?.items ?? []} />` },
            { head: 'Started', sort: row => Date.parse(row.startedAt), cell: row => html`<${Ago} at=${row.startedAt} />` },
            { head: 'Ended', cell: row => html`<${Ago} at=${row.endedAt} />` },
            { head: 'Error', cell: row => html`<${Cut} error text=${row.error} />`, kind: 'wide' },
            { head: 'Cancel', cell: row => (row.state === 'running' ? html`<${Cancel} job=${row} onCancelled=${poll.refresh} />` : '–') },
          ]} />`}<//>
      <//>
      <${BulkRetries} poll=${retries} />
    <//>`;
}

function BulkRetries({ poll }) {
  return html`
    <${Section} title="Bulk retries of dead letters">
      <p class="quiet">Five messages are retried first. The others follow when these are delivered; it stops when they fail again. Relays continue it when this page is closed.</p>
      <${Loaded} poll=${poll}>${data => html`
        <${Table} caption="Bulk retries, the latest first" nothing="There were no bulk retries in the last days." rows=${data.items} rowKey=${row => row.id} columns=${[
          { head: 'Number', cell: row => row.id, kind: 'num' },
          { head: 'Subscription', cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
          { head: 'State', cell: row => html`<${State} state=${row.state} busy=${row.state === 'running'} />` },
          { head: 'Retried', cell: row => number(row.retried), kind: 'num' },
          { head: 'Delivered', cell: row => number(row.delivered), kind: 'num' },
          { head: 'Failed again', cell: row => number(row.failed), kind: 'num' },
          { head: 'Left', cell: row => number(row.left), kind: 'num' },
          { head: 'Started', cell: row => html`<${Ago} at=${row.startedAt} /> by <${Cut} text=${row.who} />` },
          { head: 'Note', cell: row => html`<${Cut} error text=${row.stoppedBecause ?? (row.waitsFor ? `waits for ${row.waitsFor}` : '–')} />`, kind: 'wide' },
          { head: 'Change', cell: row => html`<${Operator}><span class="buttons">${CHANGES.filter(([, , states]) => states.includes(row.state)).map(([verb, title]) => html`
            <${Button} key=${verb} onClick=${() => changeBulkRetry(row, verb, title, poll.refresh)}>${title} …<//>`)}</span><//>` },
        ]} />`}<//>
    <//>`;
}

const CHANGES = [['pause', 'Pause', ['running']], ['resume', 'Resume', ['paused', 'stopped']], ['cancel', 'Cancel', ['running', 'paused', 'stopped']]];
