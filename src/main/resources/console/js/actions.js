// What a person can change, each as a question that says what will happen.
import { html } from '../lib/htm-preact.js';
import { path, post } from './api.js';
import { ask, counting } from './ask.js';

const RATE = { name: 'rate', label: 'At most so many a second (optional)', type: 'number', min: 1, hint: 'Spares the destination.' };

function said(result, done) {
  return result?.changed === false ? 'It was so already; nothing was changed.' : done;
}

export function pause(subscription, after) {
  ask({
    title: `Pause ${subscription}`,
    what: html`<p>Nothing more of this subscription is delivered until somebody resumes it, also across restarts. Messages wait in the outbox; other subscriptions go on.</p>`,
    verb: 'Pause',
    subscription,
    run: body => post(path`subscriptions/${subscription}/pause`, body),
    result: result => said(result, `${subscription} is paused.`),
    after,
  });
}

export function resume(subscription, after) {
  ask({
    title: `Resume ${subscription}`,
    what: html`<p>A relay goes on where this subscription stopped, at full speed.</p>`,
    verb: 'Resume',
    subscription,
    run: body => post(path`subscriptions/${subscription}/resume`, body),
    result: result => said(result, `${subscription} is running again.`),
    after,
  });
}

export function resumeHalted(subscription, halted, after) {
  ask({
    title: `Resume ${subscription}`,
    what: html`<p>A relay has halted it: ${halted.reason}. The outbox was restored or truncated.</p>
      <p>Messages with ids after the one given here are delivered, also those that were delivered before; <strong>messages up to it are not</strong>. 0: all that is in the outbox.</p>`,
    fields: [{ name: 'id', label: 'Go on after id', type: 'number', min: 0, required: true }],
    verb: 'Resume',
    subscription,
    run: ({ id, ...body }) => post(path`subscriptions/${subscription}/resume`, { after: Number(id), ...body }),
    result: result => said(result, `${subscription} is running again.`),
    after,
  });
}

export function changeLanes(subscription, lanes, after) {
  ask({
    title: `Change the lanes of ${subscription}`,
    what: html`<p>Relays finish what is on its way and leave the subscription, then all lanes are changed at once. Nothing is lost or out of order; new messages wait meanwhile.</p>
      <p><strong>Afterwards only relays work it whose route has the new number</strong> (option <code>lanes</code>): change the route file on all relays right after this.</p>`,
    fields: [{ name: 'lanes', label: `Lanes (now ${lanes})`, type: 'number', min: 1, max: 64, value: String(lanes), required: true }],
    verb: 'Change lanes',
    subscription,
    run: ({ lanes: wanted, ...body }) => post(path`subscriptions/${subscription}/lanes`, { lanes: Number(wanted), ...body }),
    after,
  });
}

export function replay(subscription, filter, after) {
  const address = path`subscriptions/${subscription}/replay`;
  ask({
    title: `Replay messages of ${subscription}`,
    prepare: counting(() => post(address, { ...filter, dryRun: true }), 'delivered message'),
    what: found => html`
      <p><strong>${found.text}</strong> will be delivered again, with the same message ids, in order. Progress is not touched. New messages of these keys wait behind them.</p>
      ${filter.forget && html`<p>Remembered message ids are forgotten, so receivers behind an idempotent consumer get them once more.</p>`}`,
    fields: [RATE],
    verb: found => `Replay ${found.text}`,
    subscription,
    run: body => post(address, { ...filter, ...numbers(body) }),
    after,
  });
}

export function retryDeadLetter({ subscription, id }, after) {
  ask({
    title: `Retry dead letter ${id}`,
    what: html`<p>It is delivered again to ${subscription} at once, its attempts are counted anew. If it fails again, it can become dead again.</p>`,
    verb: 'Retry',
    subscription,
    run: body => post(path`dead-letters/${subscription}/${id}/retry`, body),
    result: result => said(result, `${id} will be delivered again.`),
    after,
  });
}

export function discardDeadLetter({ subscription, id }, after) {
  ask({
    title: `Discard dead letter ${id}`,
    what: html`<p><strong>It is removed for good</strong> and never delivered to ${subscription}. This cannot be undone, and the audit keeps no payload.</p>`,
    danger: true,
    needsReason: true,
    verb: 'Discard for good',
    subscription,
    run: body => post(path`dead-letters/${subscription}/${id}/discard`, body),
    result: result => said(result, `${id} is discarded.`),
    after,
  });
}

/** @param edit JSON text of what is to be changed, so that it stays as it was written */
export function retryEdited({ subscription, id }, edit, after) {
  const address = path`dead-letters/${subscription}/${id}/retry`;
  ask({
    title: `Edit and retry dead letter ${id}`,
    prepare: () => post(address, `{"dryRun": true, "edit": ${edit}}`),
    what: found => html`
      <p>It is delivered to ${subscription} with these changes. The audit keeps the original.</p>
      <table class="diff"><thead><tr><th scope="col">What</th><th scope="col">From</th><th scope="col">To</th></tr></thead>
        <tbody>${found.changes.map(change => html`
          <tr key=${change.path}><th scope="row"><code>${change.path}</code></th>
            <td><del>${written(change.from)}</del></td><td><ins>${written(change.to)}</ins></td></tr>`)}</tbody>
      </table>`,
    verb: 'Retry with these changes',
    subscription,
    run: body => post(address, `{"edit": ${edit}, ${JSON.stringify(body).slice(1)}`),
    result: result => said(result, `${id} will be delivered again, changed.`),
    after,
  });
}

function written(value) {
  return value === null || value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
}

export function changeDeadLetters(action, filter, after) {
  const discards = action === 'discard';
  const run = body => post('dead-letters/bulk', { action, filter, ...body });
  ask({
    title: discards ? 'Discard all matching dead letters' : 'Retry all matching dead letters',
    prepare: counting(() => run({ dryRun: true }), 'dead letter'),
    what: found => html`
      ${discards
        ? html`<p><strong>${found.text} will be removed for good</strong> and never delivered. This cannot be undone, and the audit keeps no payload.</p>`
        : html`<p><strong>${found.text}</strong> will be delivered again, with attempts counted anew.</p>`}
      <${Filter} filter=${filter} /><p class="quiet">What becomes dead after this count is not touched.</p>`,
    danger: discards,
    needsReason: discards,
    fields: [RATE],
    verb: found => `${discards ? 'Discard' : 'Retry'} ${found.text}`,
    subscription: filter.subscription,
    run: body => run(numbers(body)),
    after,
  });
}

export function retryNow({ subscription, id }, after) {
  ask({
    title: `Try ${id} now`,
    what: html`<p>The next attempt at ${subscription} is made at once instead of later. Attempts count on: the next failure may be the last one.</p>`,
    verb: 'Try now',
    subscription,
    run: body => post(path`retries/${subscription}/${id}/retry`, body),
    result: result => said(result, `${id} is tried now.`),
    after,
  });
}

export function giveUp({ subscription, id }, after) {
  ask({
    title: `Give up ${id}`,
    what: html`<p>It becomes a dead letter of ${subscription}, with its attempts and errors. The messages behind it follow, unless the route says <code>onDead=block</code>. A dead letter can be retried later.</p>`,
    danger: true,
    needsReason: true,
    verb: 'Give up',
    subscription,
    run: body => post(path`retries/${subscription}/${id}/give-up`, body),
    result: result => said(result, `${id} is a dead letter now.`),
    after,
  });
}

export function changeRetries(action, filter, after) {
  const givesUp = action === 'give-up';
  const run = body => post('retries/bulk', { action, filter, ...body });
  ask({
    title: givesUp ? 'Give up all matching messages' : 'Try all matching messages now',
    prepare: counting(() => run({ dryRun: true }), 'waiting message'),
    what: found => html`
      <p><strong>${found.text}</strong> ${givesUp ? 'will become dead letters, with their attempts and errors.' : 'will be tried at once. Attempts count on: the next failure may be the last one.'}</p>
      <${Filter} filter=${filter} /><p class="quiet">Blocked messages are not touched, nor what is tried after this count.</p>`,
    danger: givesUp,
    needsReason: givesUp,
    fields: [RATE],
    verb: found => `${givesUp ? 'Give up' : 'Try'} ${found.text}`,
    subscription: filter.subscription,
    run: body => run(numbers(body)),
    after,
  });
}

function Filter({ filter }) {
  const given = Object.entries(filter).filter(([, value]) => value);
  return html`<p>${given.length === 0
    ? 'No filter: this is about all subscriptions.'
    : html`Filter: ${given.map(([name, value]) => html`<code key=${name}>${name} = ${value}</code> `)}`}</p>`;
}

/** What was typed as a number, as a number; what was left out, left out. */
function numbers({ rate, ...rest }) {
  return rate ? { ...rest, rate: Number(rate) } : rest;
}

