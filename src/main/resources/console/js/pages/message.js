import { html } from '../../lib/htm-preact.js';
import { get, path } from '../api.js';
import { sentence } from '../attempts.js';
import { AuditTable } from '../audit-table.js';
import { Content } from '../content.js';
import { Cut } from '../copyable.js';
import { counted, distance, error, moment } from '../format.js';
import { Obstacle } from '../outcome.js';
import { Facts, KeyLink, Loaded, Moment, Page, Section, State, SubscriptionLink, intakeOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';
import { Table } from '../table.js';

const LIST = { title: 'Messages', path: '/messages' };

export function Message({ id }) {
  const address = path`messages/${id}`;
  const poll = usePoll(signal => get(address, {}, signal), 3, [address]);
  return html`
    <${Page} title=${`Message ${id}`} parent=${LIST} actions=${html`<a class="button" href=${href(`/why/${id}`)}>Why is it not delivered?</a>`}>
      <${Loaded} poll=${poll}>${({ message, subscriptions, audit }) => html`
        <${Section} title="Message">
          <${Facts} items=${[
            ['Key', html`<${KeyLink} name=${message.key} />`],
            ['Type', html`<${Cut} text=${message.type} />`],
            ['Message id', html`<code>${message.messageId}</code>`, 'broad'],
            ['Inserted', html`<${Moment} at=${message.createdAt} />`],
            message.pruned && ['Outbox', 'pruned'],
          ]} />
        <//>
        <${Section} title="Subscriptions">
          <${Table} caption="The state of this message in each subscription" nothing="There is no subscription yet." rows=${[...subscriptions].sort((a, b) => (a.state === 'not selected') - (b.state === 'not selected'))} rowKey=${row => row.subscription} columns=${[
            { head: 'Subscription', cell: row => html`<${SubscriptionLink} name=${row.subscription} />` },
            { head: 'State', cell: row => html`<${State} state=${row.state} />${row.obstacle && html`<br /><small><${Obstacle} it=${row.obstacle} of=${row.subscription} /></small>`}` },
            { head: 'Attempts', cell: row => row.attempts ?? '–', kind: 'num' },
            { head: 'More', cell: row => html`<${More} it=${row} id=${id} of=${message.key} />` },
            { head: 'Error', cell: row => html`<${Cut} error text=${row.answer ?? (row.errorClass ? error(row.errorClass, row.errorText) : '–')} />`, kind: 'wide' },
          ]} />
        <//>
        <${Section} title="History">
          <ol class="timeline">
            ${timeline(message, subscriptions, audit).map(event => html`
              <li key=${event.at + event.what} class=${event.future ? 'future' : ''}>
                <time datetime=${event.at}>${moment(event.at)}</time> <span class="quiet">${distance(event.at)}</span>
                <span>${event.where && html`<b>${event.where}</b> `}${event.what}</span>
              </li>`)}
          </ol>
        <//>
        <${Content} address=${address} within="message" headerNames=${message.headerNames} />
        <${Section} title="Changes by people"><${AuditTable} items=${audit} nothing="There are no changes." everywhere /><//>`}<//>
    <//>`;
}

function More({ it, id, of: key }) {
  if (it.state === 'discarded') {
    return html`<a href=${href('/dead-letters/discarded', { subscription: it.subscription, key })}>show</a>`;
  }
  const where = { dead: 'dead-letters', waiting: 'retries', blocked: 'retries' }[it.state];
  return where ? html`<a href=${href(`/${where}/${it.subscription}/${id}`)}>show</a>` : '–';
}

function timeline(message, subscriptions, audit) {
  const rejected = subscriptions.some(it => intakeOf(it.subscription) !== null);
  const events = [{ at: message.createdAt, what: rejected ? 'read from the source and rejected' : 'inserted into the outbox' }];
  for (const it of subscriptions) {
    const add = (at, what) => at && events.push({ at, where: it.subscription, what });
    it.failures?.forEach(failure => add(failure.at, sentence(failure)));
    if (it.state === 'dead') {
      add(it.lastFailedAt, `became dead after ${counted(it.attempts, 'attempt')}`);
    }
    if (!it.obstacle) {
      add(it.nextAttemptAt, 'next attempt');
    }
  }
  for (const entry of audit) {
    events.push({ at: entry.at, where: entry.subscription, what: `${entry.action} by ${entry.who}${entry.reason ? `: ${entry.reason}` : ''}` });
  }
  const now = Date.now();
  return events
    .map(event => ({ ...event, future: Date.parse(event.at) > now }))
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
