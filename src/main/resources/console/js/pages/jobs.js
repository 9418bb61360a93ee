import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Bar, Cancel, Done } from '../job.js';
import { Ago, Loaded, Page, Section, State, SubscriptionLink, Table } from '../parts.js';
import { usePoll } from '../poll.js';

export function Jobs() {
  const poll = usePoll(signal => get('jobs', {}, signal), 2, []);
  return html`
    <${Page} title="Jobs">
      <${Section} title="Work on many messages">
        <p class="quiet">Jobs belong to the relay that answers here, and it keeps the last 100. The audit tells what all of them did.</p>
        <${Loaded} poll=${poll}>${data => html`
          <${Table} caption="Jobs, newest first" nothing="None since this relay was started." rows=${data.items} rowKey=${row => row.id} columns=${[
            { head: 'Action', cell: row => row.action },
            { head: 'Subscription', cell: row => (row.subscription ? html`<${SubscriptionLink} name=${row.subscription} />` : 'all') },
            { head: 'State', cell: row => html`<${State} state=${row.state} busy=${row.state === 'running'} />` },
            { head: 'Done', cell: row => html`<${Done} job=${row} /> <${Bar} job=${row} />` },
            { head: 'Started', cell: row => html`<${Ago} at=${row.startedAt} />` },
            { head: 'Ended', cell: row => html`<${Ago} at=${row.endedAt} />` },
            { head: 'Error', cell: row => row.error ?? '–', kind: 'wide' },
            { head: 'Stop', cell: row => (row.state === 'running' ? html`<${Cancel} job=${row} onCancelled=${poll.refresh} />` : '–') },
          ]} />`}<//>
      <//>
    <//>`;
}
