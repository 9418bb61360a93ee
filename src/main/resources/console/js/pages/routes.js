import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { duration, rate } from '../format.js';
import { Destination, Line } from '../flow.js';
import { Loaded, Page, Section, State, SubscriptionLink, useRunsRoutes } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';
import { Table } from '../table.js';

export function Routes({ overview }) {
  return useRunsRoutes() ? html`<${OwnRoutes} overview=${overview} />` : html`<${RoutesElsewhere} overview=${overview} />`;
}

/** In a console without routes: where they run. */
function RoutesElsewhere({ overview }) {
  return html`
    <${Page} title="Routes">
      <p>This console runs no routes. They run in relays, and in applications with the component <code>outbox:</code>, which know their steps
        and destinations. Pause, retry, replay and the other changes work here: whoever runs the route obeys them.${' '}
        <a href=${href('/help/console') + '#a-console-without-routes'}>More</a></p>
      <${Section} title="Where the routes run">
        <${Loaded} poll=${overview}>${data => html`
          <${Table} caption="Subscriptions and where their routes run" nothing="No route has read the outbox yet." rows=${data.subscriptions} rowKey=${it => it.subscription} columns=${[
            { head: 'Subscription', cell: it => html`<${SubscriptionLink} name=${it.subscription} />` },
            { head: 'State', cell: it => html`<${State} state=${it.state} />` },
            { head: 'Runs in', cell: it => (owners(it).length === 0 ? html`<span class="quiet">nothing at the moment</span>` : html`<${Cut} text=${owners(it).join(', ')} />`), kind: 'wide' },
          ]} />`}<//>
      <//>
    <//>`;
}

function owners(subscription) {
  return [...new Set(subscription.lanes.map(lane => lane.owner).filter(Boolean))];
}

function OwnRoutes({ overview }) {
  const poll = usePoll(signal => get('routes', {}, signal), 10, []);
  const states = new Map((overview.data?.subscriptions ?? []).map(each => [each.subscription, each]));
  return html`
    <${Page} title="Routes">
      <${Loaded} poll=${poll}>${data => html`
        <${NotLoaded} files=${data.filesNotLoaded} />
        <${Section} title="Diagram" actions=${html`<a href="#routes-table">The same as a table</a>`}>
          <${Diagram} routes=${data.items} states=${states} />
        <//>
        <${Section} title="All routes" id="routes-table">
          <${AllRoutes} routes=${data.items} />
          <p id="error-handling">Failures are classified by ${data.errorHandling.map((file, i) => html`${i > 0 && ', '}<code>${file}</code>`)}.${' '}
            <a href=${href('/help/configuration') + '#error-handling'}>What that means</a></p>
        <//>`}<//>
    <//>`;
}

function NotLoaded({ files }) {
  return files.length > 0 && html`
    <p class="verdict verdict-degraded" role="alert">
      <strong>Could not load ${files.join(', ')}.</strong>${' '}
      The previous version of a file continues. A new file has no running routes. <a href=${href('/help/runbooks/route-file-not-loaded')}>What to do</a>
    </p>`;
}

/** A branch for each subscription: its state, the steps of its route, and its destinations. */
function Diagram({ routes, states }) {
  const readers = routes.filter(route => route.subscription !== null);
  return html`
    <div class="flow">
      <p class="flow-node flow-outbox"><strong>outbox</strong></p>
      <ul class="flow-branches" aria-label="Routes that read the outbox">
        ${readers.map(route => html`<${Branch} key=${route.route} route=${route} state=${states.get(route.subscription)} routes=${routes} />`)}
      </ul>
    </div>`;
}

function Branch({ route, state, routes }) {
  return html`
    <li>
      <${Line}>${state
        ? html`<a class="flow-figures" href=${href(`/subscriptions/${route.subscription}`)}>
            <span class="visually-hidden">${route.subscription}: </span><${State} state=${state.state} /><span>${rate(state.ratePerSecond)}/s</span><span>lag ${duration(state.lagSeconds)}</span></a>`
        : html`<span class="flow-figures quiet">not started yet</span>`}<//>
      <div class="flow-node">
        <${SubscriptionLink} name=${route.subscription} />
        <small>${route.types === '' ? 'all types' : route.types}</small>
        <small><code>${route.source}</code></small>
      </div>
      <${Line} />
      <div class="flow-node flow-steps">
        ${route.steps.length === 0 ? html`<small>no steps</small>` : html`
          <ol aria-label=${`Steps of ${route.route}`}>${route.steps.map((step, i) => html`<li key=${i}>${step}</li>`)}</ol>`}
      </div>
      <${Line} />
      <ul class="flow-destinations" aria-label=${`Destinations of ${route.route}`}>
        ${route.destinations.length === 0 && html`<li class="flow-node"><small>none: a step delivers</small></li>`}
        ${route.destinations.map(address => html`<li key=${address} class="flow-node"><${Destination} address=${address} route=${route} routes=${routes} /></li>`)}
      </ul>
    </li>`;
}

function AllRoutes({ routes }) {
  return html`
    <${Table} caption="All routes" nothing="There are no routes." rows=${routes} rowKey=${route => route.route} columns=${[
      { head: 'Route', cell: route => html`<span id=${`route-${route.route}`}><${Cut} text=${route.route} /></span>` },
      { head: 'Source', cell: route => html`<code><${Cut} text=${route.source} /></code>` },
      { head: 'Reads', cell: route => (route.subscription === null ? html`<code><${Cut} text=${route.from} /></code>` : html`<${SubscriptionLink} name=${route.subscription} />`) },
      { head: 'Types', cell: route => (route.subscription === null ? '–' : html`<${Cut} text=${route.types || 'all'} />`) },
      { head: 'Steps', cell: route => html`<${Cut} error text=${route.steps.join(', ') || '–'} />`, kind: 'wide' },
      { head: 'Destinations', cell: route => html`<${Cut} error text=${route.destinations.join(', ') || '–'} />`, kind: 'wide' },
    ]} />`;
}
