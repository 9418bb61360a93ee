// The components that the pages share.
import { html, useEffect, useRef } from '../lib/htm-preact.js';
import { me } from './api.js';
import { shown } from './characters.js';
import { Cut } from './copyable.js';
import { distance, moment } from './format.js';
import { preferences } from './preferences.js';
import { href, outbox } from './router.js';
import { useStore } from './store.js';

/** A state is shown by a word, a color and a shape. */
const SHAPES = {
  good: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z',
  warning: 'M8 1.5 15 14H1Z',
  critical: 'M2.5 2.5h11v11h-11Z',
  busy: 'M8 1l7 7-7 7-7-7Z',
  paused: 'M3.5 2.5h3.5v11H3.5Zm5.5 0h3.5v11H9Z',
  idle: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
};

const KINDS = {
  healthy: 'good', degraded: 'warning', down: 'critical',
  running: 'good', failing: 'warning', halted: 'critical', paused: 'paused', 'destination unavailable': 'warning', 'changing lanes': 'busy', 'keys blocked': 'warning', 'no relay': 'critical',
  available: 'good', unavailable: 'warning', unknown: 'idle',
  delivered: 'good', copied: 'good', 'in flight': 'busy', waiting: 'warning', blocked: 'warning', dead: 'critical',
  'not selected': 'idle', 'not reached': 'idle', 'not delivered yet': 'busy', discarded: 'paused',
  done: 'good', failed: 'critical', cancelled: 'paused',
  current: 'good', ahead: 'good', empty: 'idle', retained: 'idle', 'held-back': 'warning', prunable: 'idle',
  warning: 'warning', critical: 'critical',
};

export function Shape({ kind }) {
  return html`<svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d=${SHAPES[kind] ?? SHAPES.idle} /></svg>`;
}

export function State({ state, busy, children }) {
  const kind = busy ? 'busy' : KINDS[state] ?? 'idle';
  return html`<span class=${`state is-${kind}`}><${Shape} kind=${kind} /> ${children ?? state}</span>`;
}

let arrived = false;

/** A page with its heading, which gets the focus after a change of page, but not when the console is opened. */
export function Page({ title, parent, actions, children }) {
  const heading = useRef();
  useEffect(() => {
    document.title = `${shown(title)} · ${outbox === null ? '' : `${outbox} · `}Caravan`;
    if (arrived && (document.activeElement === document.body || document.activeElement.closest('a'))) {
      heading.current.focus({ preventScroll: true });
    }
    arrived = true;
  }, [title]);
  return html`
    <header class="page-head">
      <div>
        ${parent && html`<a class="parent" href=${href(parent.path)}>${parent.title}</a>`}
        <h1 tabindex="-1" ref=${heading}>${title}</h1>
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}`;
}

export function Section({ title, actions, children, id }) {
  return html`
    <section class="panel" aria-label=${title} id=${id}>
      <header class="panel-head"><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
      ${children}
    </section>`;
}

/** Shows that a poll is loading, why it failed, or its data. Old data remain shown if only the newest request failed. */
export function Loaded({ poll, children }) {
  if (poll.data === undefined) {
    return poll.problem ? html`<${Failure} problem=${poll.problem} />` : html`<p class="quiet" role="status">Loading …</p>`;
  }
  return html`
    ${poll.problem && poll.problem.status !== 0 && html`<${Failure} problem=${poll.problem} />`}
    ${poll.problem || poll.data?.databaseUnavailableSince ? html`<div class="old">${children(poll.data)}</div>` : children(poll.data)}`;
}

export function Failure({ problem }) {
  return html`
    <p class="failure" role="alert">
      <${Shape} kind="critical" />${' '}
      <strong>${problem.title ?? 'The request failed'}</strong>${' '}${problem.detail ?? problem.message}
    </p>`;
}

/** The age, with the exact time as a tooltip; or the reverse, if the person prefers that. */
export function Ago({ at }) {
  const { times } = useStore(preferences);
  const [shown, title] = times === 'time' ? [moment, distance] : [distance, moment];
  return at ? html`<time datetime=${at} title=${title(at)}>${shown(at)}</time>` : '–';
}

export function Moment({ at }) {
  return at ? html`<time datetime=${at}>${moment(at)}</time> <span class="quiet">(${distance(at)})</span>` : '–';
}

/** Says that there is nothing to show. */
export function Empty({ children }) {
  return html`<p class="nothing"><svg viewBox="0 0 16 16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" d="M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5l2-6h7l2 6v4h-11Z" /></svg><span>${children}</span></p>`;
}

/** Names and values, and 'broad' for those that need more room. */
export function Facts({ items }) {
  return html`
    <dl class="facts">
      ${items.filter(Boolean).map(([name, value, room]) => html`<div key=${name} class=${room}><dt>${name}</dt><dd>${value ?? '–'}</dd></div>`)}
    </dl>`;
}

/** A link to a subscription; the subscription of rejected rows leads to their intake. */
export function SubscriptionLink({ name }) {
  const intake = intakeOf(name);
  return html`<${Cut} text=${name} address=${href(intake === null ? `/subscriptions/${name}` : `/intakes/${intake}`)} />`;
}

/** The intake whose rejected rows have this subscription; null for a subscription of a route. */
export function intakeOf(subscription) {
  return /^intake:(.+)/.exec(subscription)?.[1] ?? null;
}

export function keyOf(item) {
  return `${item.aggregateType.replaceAll('%', '%25').replaceAll('/', '%2F')}/${item.aggregateId}`; // as Key.toString
}

/** Links to the messages of a key: its dead letters, waiting messages and messages of the outbox. */
export function KeyLink({ name }) {
  return html`<${Cut} text=${name} address=${href('/find', { text: name })} />`;
}

export function MessageLink({ id }) {
  return html`<a class="id" href=${href(`/messages/${id}`)}>${id}</a>`;
}

/** Shown to people who may make changes that can be undone or deliver what is due, such as a pause or a retry. */
export function Operator({ children }) {
  return useMay('operate') ? children : null;
}

/** Shown to people who may also repeat and skip messages. */
export function Admin({ children }) {
  return useMay('admin') ? children : null;
}

/** Whether the person who is signed in has this role or a higher one. */
export function useMay(role) {
  return includes(useStore(me)?.role, role);
}

/** Whether the process that serves this page runs routes. A console does not: they run in other processes. */
export function useRunsRoutes() {
  return useStore(me)?.runsRoutes !== false;
}

function includes(given, needed) {
  const roles = ['read', 'operate', 'admin'];
  return roles.indexOf(given) >= roles.indexOf(needed);
}

export function Button({ children, onClick, kind = '', disabled = false, type = 'button' }) {
  return html`<button type=${type} class=${kind} disabled=${disabled} onClick=${onClick}>${children}</button>`;
}

/** Counts as small bars. */
export function Bars({ counts, what }) {
  const most = Math.max(1, ...counts);
  return html`
    <svg class="bars" viewBox=${`0 0 ${counts.length * 5} 20`} preserveAspectRatio="none" role="img" aria-label=${`${what}: ${counts.join(', ')}`}>
      ${counts.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(3, (value / most) * 20);
        return html`<rect x=${i * 5} y=${20 - height} width="4" height=${height} class=${value === 0 ? 'none' : ''} />`;
      })}
    </svg>`;
}

/** A value over time as a small line. */
export function Spark({ values, what }) {
  if (!values || values.length < 2) {
    return html`<svg class="spark" viewBox="0 0 100 24" aria-hidden="true"></svg>`;
  }
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => `${((i / (values.length - 1)) * 100).toFixed(1)},${(22 - ((value ?? 0) / most) * 20).toFixed(1)}`);
  return html`
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label=${what}>
      <polygon points=${`0,24 ${points.join(' ')} 100,24`} />
      <polyline points=${points.join(' ')} vector-effect="non-scaling-stroke" />
    </svg>`;
}
