import { html } from '../../lib/htm-preact.js';
import { count, drain, duration, number, rate } from '../format.js';
import { HistoryCharts } from '../history-charts.js';
import { Intakes } from '../intakes.js';
import { OtherOutboxes } from '../outboxes.js';
import { OverviewMap } from '../overview-map.js';
import { Ago, Loaded, Page, Shape, Section, Spark, State, SubscriptionLink, useRunsRoutes } from '../parts.js';
import { href } from '../router.js';

/** With more subscriptions, a map is shown instead of cards. */
const MOST_CARDS = 6;

export function Overview({ query, overview, outboxes }) {
  return html`
    <${Page} title="Overview">
      <${Loaded} poll=${overview}>${data => html`
        <p class=${`verdict verdict-${data.verdict.state}`}><${State} state=${data.verdict.state}>${data.verdict.text}<//></p>
        <${Problems} problems=${data.problems} />
        ${data.subscriptions.length === 0 ? !data.databaseUnavailableSince && html`<${Empty} />` : html`
          ${data.subscriptions.length > MOST_CARDS ? html`<${OverviewMap} subscriptions=${data.subscriptions} />` : html`
            <ul class="cards" aria-label="Subscriptions">
              ${data.subscriptions.map(subscription => html`<${Card} key=${subscription.subscription} subscription=${subscription} />`)}
            </ul>`}`}
        <${Intakes} rows=${data.intakes} />
        <${OtherOutboxes} rows=${outboxes} />
        ${data.subscriptions.length > 0 && html`
          <${HistoryCharts} page="/" query=${query} />`}
      `}<//>
    <//>`;
}

function Problems({ problems }) {
  return problems.length > 0 && html`
    <${Section} title="Problems">
      <ul class="problems">
        ${problems.map(problem => html`
          <li key=${problem.name + problem.subscription}>
            <${State} state=${problem.severity} />
            <span class="problem-text">${problem.text}${problem.since && html` <span class="quiet">(<${Ago} at=${problem.since} />)</span>`}</span>
            <span class="problem-links">
              ${problem.subscription && html`<${SubscriptionLink} name=${problem.subscription} />`}
              <a href=${href(`/help/runbooks/${problem.name}`)}>what to do</a>
            </span>
          </li>`)}
      </ul>
    <//>`;
}

function Empty() {
  const runsRoutes = useRunsRoutes();
  return html`
    <div class="panel empty">
      <h2>Nothing is delivered yet</h2>
      ${runsRoutes
        ? html`<p>A subscription appears here when a relay runs a route that reads the outbox. Put a route file into the routes folder.${' '}
            <a href=${href('/help/README') + '#add-a-destination'}>Add a destination</a></p>`
        : html`<p>A subscription appears here when a relay or an application runs a route that reads the outbox.</p>`}
    </div>`;
}

function Card({ subscription: it }) {
  const trouble = it.deadLetters.atLeast > 0 || it.blocked.atLeast > 0;
  return html`
    <li class="card">
      <div class="card-head"><h2><${SubscriptionLink} name=${it.subscription} /></h2><${State} state=${it.state} /></div>
      <dl>
        <div><dt>Lag</dt><dd>${duration(it.lagSeconds)}</dd></div>
        <div><dt>Backlog</dt><dd title="Upper bound: rolled-back ids count too">${number(it.backlog)}</dd></div>
        <div><dt>Rate</dt><dd>${rate(it.ratePerSecond)}<small>/s</small></dd></div>
        <div><dt>Time to drain</dt><dd>${drain(it)}</dd></div>
      </dl>
      <${Spark} values=${it.recentRates} what=${`Delivered per second, last five minutes; now ${rate(it.ratePerSecond)}`} />
      <p class="card-foot">
        ${trouble || it.waiting.atLeast > 0 ? html`
          ${it.waiting.atLeast > 0 && html`<a href=${href('/retries', { subscription: it.subscription })}>${count(it.waiting)} waiting</a>`}
          ${it.blocked.atLeast > 0 && html`<a href=${href('/retries', { subscription: it.subscription, blocked: 'true' })}>${count(it.blocked)} blocked</a>`}
          ${it.keysBlockedByDeadLetters.atLeast > 0 && html`<a href=${href(`/subscriptions/${it.subscription}`) + '#blocked-keys'}>${count(it.keysBlockedByDeadLetters)} ${it.keysBlockedByDeadLetters.atLeast === 1 ? 'key' : 'keys'} blocked by dead letters</a>`}
          ${it.deadLetters.atLeast > 0 && html`<a class="is-critical" href=${href('/dead-letters', { subscription: it.subscription })}><${Shape} kind="critical" /> ${count(it.deadLetters)} dead</a>`}`
          : it.rate ? html`<span class="quiet">limited to ${it.rate.limit} (now ${it.rate.now})</span>`
          : html`<span class="quiet">no waiting messages, no dead letters</span>`}
      </p>
    </li>`;
}
