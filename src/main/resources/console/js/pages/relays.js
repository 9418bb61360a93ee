import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { Ago, Loaded, Page, Section, SubscriptionLink } from '../parts.js';
import { usePoll } from '../poll.js';
import { Table } from '../table.js';

export function Relays() {
  const poll = usePoll(signal => get('relays', {}, signal), 4, []);
  return html`
    <${Page} title="Relays">
      <${Section} title="Relays and lanes">
        <${Loaded} poll=${poll}>${data => html`
          <${Table} name="relays" caption="Relays and the lanes they hold" nothing="No relay is running." rows=${data.items} rowKey=${row => row.relay} columns=${[
            { head: 'Relay', sort: row => row.relay, cell: row => html`<code><${Cut} text=${row.relay} /></code>` },
            { head: 'Lanes', cell: row => html`<${Lanes} lanes=${row.lanes} />`, kind: 'wide' },
            { head: 'Last seen', sort: row => Date.parse(row.seenAt), cell: row => html`<${Ago} at=${row.seenAt} />` },
          ]} />`}<//>
      <//>
    <//>`;
}

function Lanes({ lanes }) {
  return lanes.length === 0 ? html`<span class="quiet">stands by</span>` : html`
    <ul class="inline">${lanes.map(lane => html`
      <li key=${`${lane.subscription} ${lane.lane}`}><${SubscriptionLink} name=${lane.subscription} /> ${lane.lane} <span class="quiet">(epoch ${lane.epoch}${lane.followsTail === false ? ', reads for itself' : ''})</span></li>`)}
    </ul>`;
}
