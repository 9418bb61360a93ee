// The subscriptions as lines from the outbox to their destinations: what the overview shows when there are too many for cards.
import { html } from '../lib/htm-preact.js';
import { get } from './api.js';
import { Destination, Line } from './flow.js';
import { count, drain, duration, number, rate } from './format.js';
import { Section, State, SubscriptionLink, useRunsRoutes } from './parts.js';
import { usePoll } from './poll.js';
import { href, outbox } from './router.js';

/** Subscriptions with problems come first. */
function byProblems(a, b) {
  const severity = it => (it.state === 'running' ? 0 : 2) + (it.deadLetters.atLeast > 0 || it.blocked.atLeast > 0 ? 1 : 0);
  return severity(b) - severity(a) || a.subscription.localeCompare(b.subscription);
}

export function OverviewMap({ subscriptions }) {
  const runsRoutes = useRunsRoutes();
  const poll = usePoll(signal => (outbox === null ? get('routes', {}, signal) : { items: [] }), 10, []); // the relay knows only its own routes
  const routes = poll.data?.items ?? [];
  return html`
    <${Section} title="Subscriptions" actions=${outbox === null && runsRoutes && html`<a href=${href('/routes')}>with their steps</a>`}>
      <div class="flow overview-map">
        <p class="flow-node flow-outbox"><strong>outbox</strong></p>
        <ul class="flow-branches" aria-label="Subscriptions">
          ${[...subscriptions].sort(byProblems).map(it => html`
            <${Branch} key=${it.subscription} it=${it} route=${routes.find(route => route.subscription === it.subscription)} routes=${routes} elsewhere=${runsRoutes ? 'a route of another relay' : 'its route runs elsewhere'} />`)}
        </ul>
      </div>
    <//>`;
}

function Branch({ it, route, routes, elsewhere }) {
  const destinations = route?.destinations ?? [];
  return html`
    <li>
      <${Line}><span class="flow-figures"><${State} state=${it.state} /><span>${rate(it.ratePerSecond)}/s</span><span>lag ${duration(it.lagSeconds)}</span></span><//>
      <div class="flow-node">
        <${SubscriptionLink} name=${it.subscription} />
        <small>backlog ${number(it.backlog)}${!['empty', 'up to date'].includes(drain(it)) && `, ${drain(it).replace(/^\d/, 'empty in $&')}`}${it.waiting.atLeast > 0 && html`, <a href=${href('/retries', { subscription: it.subscription })}>${count(it.waiting)} waiting</a>`}${it.blocked.atLeast > 0 && html`, <a href=${href('/retries', { subscription: it.subscription, blocked: 'true' })}>${count(it.blocked)} blocked</a>`}${it.deadLetters.atLeast > 0 && html`, <a class="is-critical" href=${href('/dead-letters', { subscription: it.subscription })}>${count(it.deadLetters)} dead</a>`}</small>
      </div>
      <${Line} />
      <ul class="flow-destinations" aria-label=${`Destinations of ${it.subscription}`}>
        ${destinations.length === 0 && html`<li class="flow-node"><small>${route ? 'none: a step delivers' : elsewhere}</small></li>`}
        ${destinations.map(address => html`<li key=${address} class="flow-node"><${Destination} address=${address} route=${route} routes=${routes} /></li>`)}
      </ul>
    </li>`;
}
