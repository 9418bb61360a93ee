// What became of a message after a person changed it, and what keeps a waiting message from being tried.
import { html, useEffect } from '../lib/htm-preact.js';
import { get, path } from './api.js';
import { distance, moment } from './format.js';
import { Failure, Section, State, intakeOf } from './parts.js';
import { usePoll } from './poll.js';
import { href } from './router.js';

/** The outcome of a change is asked for often for this time, and then as often as other facts. */
const OFTEN_SECONDS = 30;

const STATES = { 'waits-for-retry': 'waiting', 'behind-message': 'blocked', 'behind-dead-letter': 'blocked' };

/** The state of a message with this cause, in words. */
export function stateOf(cause) {
  return STATES[cause] ?? cause.replaceAll('-', ' ');
}

/**
 * @param about the request is repeated when it changes
 * @param onState called when the state of the message changes
 */
export function Outcome({ subscription, id, about, onState, children }) {
  const poll = usePoll(signal => get(path`outcomes/${subscription}/${id}`, {}, signal), pause, [subscription, id], about);
  const it = poll.data;
  useEffect(() => {
    if (it) {
      onState?.(it);
    }
  }, [it?.state, it?.history.length]);
  return html`
    <${Section} title="What became of it" actions=${it && html`<${State} state=${stateOf(it.state)} />`}>
      ${poll.problem && poll.problem.status !== 0 && html`<${Failure} problem=${poll.problem} />`}
      <p role="status" class="outcome">${it ? html`${it.text}.` : poll.problem ? '' : 'Loading …'}</p>
      ${children}
    <//>`;
}

function pause({ settled, at, history }) {
  const change = history.at(-1);
  return settled ? 0 : change && Date.parse(at) - Date.parse(change.at) < OFTEN_SECONDS * 1000 ? 1 : 5;
}

/** States in which a changed message is among the waiting ones: where it is there, or what stops its lane. */
export const WAITING = ['waits-for-retry', 'behind-message', 'behind-dead-letter', 'in-flight', 'paused', 'halted', 'changing-lanes', 'no-relay', 'destination-unavailable', 'intake-failing'];

/** The page of a message in a state of its outcome, if it has one beside the page of the message. */
export function pageOf({ state, subscription, id }) {
  if (state === 'dead') {
    return { title: 'Show the dead letter', href: href(`/dead-letters/${subscription}/${id}`) };
  }
  if (state === 'discarded') {
    return { title: 'Show the discarded dead letters', href: href('/dead-letters/discarded', { subscription }) };
  }
  return WAITING.includes(state) ? { title: 'Show it among the waiting messages', href: href(`/retries/${subscription}/${id}`) } : null;
}

/**
 * What a message waits for if its lane makes no attempts: waits for the destination, probe in 12s.
 *
 * @param of its subscription
 */
export function Obstacle({ it: { state, nextProbeAt }, of }) {
  if (state === 'destination unavailable') {
    return html`<span class="is-warning">waits for the destination, probe <time datetime=${nextProbeAt} title=${moment(nextProbeAt)}>${Date.parse(nextProbeAt) < Date.now() ? 'now' : distance(nextProbeAt)}</time></span>`;
  }
  const reader = intakeOf(of) === null ? 'subscription' : 'intake';
  return html`<span class="is-warning">${state === 'no relay' ? `no relay works its ${reader === 'intake' ? reader : 'lane'}` : `the ${reader} is ${state}`}</span>`;
}
