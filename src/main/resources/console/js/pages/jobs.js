import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Bar, Cancel, Done } from '../job.js';
import { Ago, Loaded, Page, Section, State, SubscriptionLink, Table } from '../parts.js';
import { usePoll } from '../poll.js';

export function Jobs() {
  const poll = usePoll(signal => get('jobs', {}, signal), 2, []);
  return html`
    <${Page} title="Jobs">
      <${Section} title="Changes of many messages">
        <p class="quiet">These are the last 100 jobs of the relay that serves this page. The audit records the changes of all jobs.</p>
        <${Loaded} poll=${poll}>${data => html`
          <${Table} caption="Jobs, newest first" nothing="There are no jobs since this relay started." rows=${data.items} rowKey=${row => row.id} columns=${[
            { head: 'Action', cell: row => row.action },
            { head: 'Subscription', cell: row => (row.subscription ? html`<${SubscriptionLink} name=${row.subscription} />` : 'all') },
            { head: 'State', cell: row => html`<${State} state=${row.state} busy=${row.state === 'running'} />` },
            { head: 'Done', cell: row => html`<${Done} job=${row} /> <${Bar} job=${row} />` },
            { head: 'Started', cell: row => html`<${Ago} at=${row.startedAt} />` },
            { head: 'Ended', cell: row => html`<${Ago} at=${row.endedAt} />` },
            { head: 'Error', cell: row => row.error ?? '–', kind: 'wide' },
            { head: 'Cancel', cell: row => (row.state === 'running' ? html`<${Cancel} job=${row} onCancelled=${poll.refresh} />` : '–') },
          ]} />`}<//>
      <//>
    <//>`;
}
