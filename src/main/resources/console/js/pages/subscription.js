import { html, useState } from '../../lib/htm-preact.js';
import { changeLanes, pause, replay, resume, resumeHalted } from '../actions.js';
import { get, path } from '../api.js';
import { AuditTable } from '../audit-table.js';
import { Copyable, Cut } from '../copyable.js';
import { count, counted, drain, duration, error, millis, number, rate } from '../format.js';
import { HistoryCharts } from '../history-charts.js';
import { Obstacle } from '../outcome.js';
import { Admin, Ago, Button, Facts, KeyLink, Loaded, MessageLink, Moment, Operator, Page, Section, State } from '../parts.js';
import { TimePicker } from '../filters.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';
import { Table } from '../table.js';

const OVERVIEW = { title: 'Overview', path: '/' };

export function Subscription({ name, query, overview }) {
  const poll = usePoll(signal => get(path`subscriptions/${name}`, {}, signal), 3, [name]);
  const changed = () => {
    poll.refresh();
    overview.refresh();
  };
  return html`
    <${Page} title=${name} parent=${OVERVIEW} actions=${poll.data && html`<${Actions} it=${poll.data} changed=${changed} />`}>
      <${Loaded} poll=${poll}>${it => html`
        <${Now} it=${it} />
        <${HistoryCharts} page=${`/subscriptions/${name}`} query=${query} subscription=${name} />
        <${Destination} it=${it.destination} />
        <${BlockedKeys} keys=${it.longestBlockedKeys} />
        <${Gaps} it=${it} />
        <${Lanes} lanes=${it.lanes} />
        <${Admin}><${Replay} name=${name} changed=${changed} /><//>
        <${Section} title="Latest changes by people" actions=${html`<a href=${href('/audit', { subscription: name })}>all</a>`}>
          <${AuditTable} items=${it.audit} nothing="There are no changes." />
        <//>`}<//>
    <//>`;
}

function Actions({ it, changed }) {
  return html`
    <${Operator}>
      ${it.halted
        ? html`<${Admin}><${Button} kind="primary" onClick=${() => resumeHalted(it.subscription, it.halted, changed)}>Resume …<//><//>`
        : it.paused
        ? html`<${Button} kind="primary" onClick=${() => resume(it.subscription, changed)}>Resume …<//>`
        : html`<${Button} onClick=${() => pause(it.subscription, changed)}>Pause …<//>`}
      <${Admin}><${Button} onClick=${() => changeLanes(it.subscription, it.lanes.length, changed)}>Change lanes …<//><//>
    <//>`;
}

function Now({ it }) {
  const link = (where, query, bounded) => bounded.atLeast === 0 ? '0' : html`<a href=${href(where, { subscription: it.subscription, ...query })}>${count(bounded)}</a>`;
  return html`
    <${Section} title="Now" actions=${html`<${State} state=${it.state} />`}>
      <${Facts} items=${[
        ['Lag', duration(it.lagSeconds)],
        ['Backlog (upper bound)', number(it.backlog)],
        ['Rate', `${rate(it.ratePerSecond)} per second`],
        ...(it.rate ? [['Limited to', `${it.rate.limit} (now ${it.rate.now})`]] : []),
        ['Time to drain', drain(it)],
        ['Latency (99th percentile)', millis(it.latencyMillis)],
        ['In flight', number(it.inFlight)],
        ['Delivered', number(it.delivered)],
        ['Position', number(it.position)],
        ['Ids in gaps', it.gaps === 0 ? '0' : html`<a href="#gaps">${number(it.gaps)}</a>`],
        ['Waiting', link('/retries', {}, it.waiting)],
        ['Blocked', link('/retries', { blocked: 'true' }, it.blocked)],
        ['Keys blocked by dead letters', count(it.keysBlockedByDeadLetters)],
        ['Dead letters', link('/dead-letters', {}, it.deadLetters)],
        ...(it.deadLetters.atLeast > 0 ? [['Oldest dead letter', duration(it.oldestDeadLetterSeconds)]] : []),
      ]} />
    <//>`;
}

function Destination({ it }) {
  return html`
    <${Section} title="Destination" actions=${html`<${State} state=${it.state} />`}>
      ${it.state === 'unavailable'
        ? html`<${Facts} items=${[
            ['Unavailable since', html`<${Moment} at=${it.unavailableSince} />`],
            ['Next probe', Date.parse(it.nextProbeAt) > Date.now() ? html`<${Ago} at=${it.nextProbeAt} />` : 'now'],
            ['Last error', html`<${Cut} error text=${it.error} />`, 'broad'],
          ]} />
          <p class="quiet">Messages wait. A few at a time are sent as a probe. <a href=${href('/help/runbooks/destination-down')}>What to do</a></p>`
        : html`<p class="quiet">${it.state === 'available' ? 'It accepts messages.' : 'No relay works this subscription, so the state of its destination is unknown.'}</p>`}
    <//>`;
}

function BlockedKeys({ keys }) {
  return html`
    <${Section} title="Blocked keys" id="blocked-keys">
      <${Table} caption="Blocked keys, the longest failing first" nothing="No key is blocked." rows=${keys} rowKey=${row => row.id} columns=${[
        { head: 'Key', cell: row => html`<${KeyLink} name=${row.key} />` },
        { head: 'Blocked by', cell: row => row.dead
          ? html`<a class="is-critical" href=${href(`/dead-letters/${row.subscription}/${row.id}`)}>dead letter ${row.id}</a>`
          : html`<a href=${href(`/retries/${row.subscription}/${row.id}`)}>${row.id}</a>`, kind: 'num' },
        { head: 'Failing since', cell: row => html`<${Ago} at=${row.failingSince} />` },
        { head: 'Next attempt', cell: row => row.dead ? 'after a person retries it' : row.obstacle ? html`<${Obstacle} it=${row.obstacle} />` : html`<${Ago} at=${row.nextAttemptAt} />` },
        { head: 'Waiting behind it', cell: row => count(row.blockedMessages), kind: 'num' },
        { head: 'Error', cell: row => html`<${Cut} error text=${error(row.errorClass, row.error)} />`, kind: 'wide' },
      ]} />
    <//>`;
}

function Gaps({ it }) {
  const shown = it.gapRanges.reduce((all, range) => all + range.to - range.from + 1, 0);
  const bound = it.gapsComplete ? '' : 'at least ';
  return html`
    <${Section} title="Gaps" id="gaps">
      <p class="quiet">Ids at or below the position that are not delivered: missing until the transaction that inserts them ends, or read and not delivered yet.</p>
      <${Facts} items=${[['Missing ids', bound + number(it.missingIds)], ['Read and not delivered yet', bound + counted(it.undeliveredInGaps, 'message')]]} />
      <${Table} caption="Ranges of missing ids" nothing="No id is missing." rows=${it.gapRanges} rowKey=${row => `${row.lane} ${row.from}`} columns=${[
        { head: 'Lane', cell: row => row.lane, kind: 'num' },
        { head: 'From', cell: row => html`<${MessageLink} id=${row.from} />`, kind: 'num' },
        { head: 'To', cell: row => html`<${MessageLink} id=${row.to} />`, kind: 'num' },
        { head: 'Missing ids', cell: row => number(row.to - row.from + 1), kind: 'num' },
        { head: 'More', cell: row => html`<a href=${href(`/why/${row.from}`)}>why</a>` },
      ]} />
      ${shown < it.missingIds && html`<p>The first ${number(it.gapRanges.length)} ranges are shown; ${number(it.missingIds - shown)} more ids are missing.</p>`}
      ${it.writers.length > 0 && html`<h3>Transactions that may still fill missing ids</h3>
        <${Table} caption="Open transactions that wrote to the outbox" nothing="" rows=${it.writers} rowKey=${row => row.pid ?? row.prepared} columns=${[
          { head: 'Session', cell: row => (row.pid === null ? `prepared ${row.prepared ?? ''}` : `pid ${row.pid}`) },
          { head: 'User', cell: row => html`<${Cut} text=${row.role} />` },
          { head: 'Client', cell: row => html`<${Cut} text=${row.client} />` },
          { head: 'Application', cell: row => html`<${Cut} text=${row.applicationName || '–'} />` },
          { head: 'State', cell: row => (row.state ?? '–') + (row.waitingForLock ? ', waits for a lock' : '') },
          { head: 'Open', cell: row => html`<${OpenFor} since=${row.transactionSince} />` },
          { head: 'Last statement', cell: row => html`<code class="statement">${row.query ?? '–'}</code>`, kind: 'wide' },
          { head: 'To end it and roll it back', cell: row => (row.endsWith ? html`<${Copyable} text=${row.endsWith} />` : '–') },
        ]} />`}
    <//>`;
}

function OpenFor({ since }) {
  return since ? html`<time datetime=${since}>for ${duration(Math.max(0, (Date.now() - Date.parse(since)) / 1000))}</time>` : '–';
}

function Lanes({ lanes }) {
  return html`
    <${Section} title=${lanes.length === 1 ? 'Lane' : 'Lanes'}>
      <${Table} caption="Lanes and their relays" nothing="" rows=${lanes} rowKey=${row => row.lane} columns=${[
        { head: 'Lane', cell: row => row.lane, kind: 'num' },
        { head: 'Position', cell: row => number(row.position), kind: 'num' },
        { head: 'Ids in gaps', cell: row => number(row.gaps), kind: 'num' },
        { head: 'Relay', cell: row => row.owner ? html`<${Cut} text=${row.owner} />` : html`<${State} state="no relay" />` },
        { head: 'Reads', cell: row => (row.followsTail === null ? '–' : row.followsTail ? 'with the tail' : 'for itself') },
        { head: 'Epoch', cell: row => row.epoch, kind: 'num' },
        { head: 'Lease ends', cell: row => html`<${Ago} at=${row.leaseUntil} />` },
      ]} />
    <//>`;
}

const REPLAY = [
  ['since', 'Inserted since', '2h, 1d or a time'],
  ['until', 'Inserted until', '30m or a time'],
  ['fromId', 'From id', ''],
  ['toId', 'To id', ''],
  ['type', 'Types', 'order.*'],
  ['key', 'Key', 'order/77'],
];

function Replay({ name, changed }) {
  const [form, setForm] = useState({});
  const given = Object.entries(form).filter(([, value]) => value);
  function count(event) {
    event.preventDefault();
    const filter = Object.fromEntries(given.map(([field, value]) => [field, field.endsWith('Id') ? Number(value) : value]));
    replay(name, filter, changed);
  }
  const set = field => event => setForm({ ...form, [field]: event.target.type === 'checkbox' ? event.target.checked : event.target.value.trim() });
  return html`
    <${Section} title="Replay">
      <p class="quiet">Delivers messages of the outbox again, up to the position. They are counted first.</p>
      <form class="filters" onSubmit=${count}>
        ${REPLAY.map(([field, label, hint]) => html`
          <div class="filter" key=${field}><label class="field"><span>${label}</span>
            <input name=${field} value=${form[field] ?? ''} placeholder=${hint} onInput=${set(field)} autocomplete="off" inputmode=${field.endsWith('Id') ? 'numeric' : undefined} pattern=${field.endsWith('Id') ? '[0-9]+' : undefined} />
          </label>
          ${hint.includes('time') && html`<${TimePicker} label=${label} onPick=${value => setForm({ ...form, [field]: value })} />`}</div>`)}
        <label class="check"><input type="checkbox" name="forget" onChange=${set('forget')} /> Delete stored message ids, so that an idempotent consumer does not skip the messages</label>
        <div class="filter-buttons"><${Button} type="submit" disabled=${given.every(([field]) => field === 'forget')}>Count …<//></div>
      </form>
    <//>`;
}
