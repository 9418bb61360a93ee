// The parts of the diagrams from the outbox to the destinations.
import { html } from '../lib/htm-preact.js';
import { href } from './router.js';

/** Links an address within the relay to the route that reads it, and any other address to the dead letters of the subscription. */
export function Destination({ address, route, routes }) {
  const next = routes.find(other => other.from === address);
  return next
    ? html`<a href=${`#route-${next.route}`}>${address}</a>`
    : html`<a href=${href('/dead-letters', { subscription: route.subscription })} title=${`Dead letters of ${route.subscription}`}>${address}</a>`;
}

export function Line({ children }) {
  return html`
    <div class="flow-line">
      ${children}
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path d="M0 5H96" vector-effect="non-scaling-stroke" /></svg>
    </div>`;
}
