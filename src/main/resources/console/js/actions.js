// The changes that a person can make. Each opens a dialog that says what will happen.
import { html } from '../lib/htm-preact.js';
import { get, path, post } from './api.js';
import { ask, counting } from './ask.js';
import { counted, distance, error, number } from './format.js';
import { intakeOf } from './parts.js';
import { selected } from './selection.js';

const RATE = { name: 'rate', label: 'Maximum rate per second (optional)', type: 'number', min: 1, hint: 'Limits the load on the destination.' };

function resultText(result, done) {
  return result?.changed === false ? 'Nothing was changed: it was already in this state.' : done;
}

export function pause(subscription, after) {
  ask({
    title: `Pause ${subscription}`,
    what: html`<p>No messages of this subscription are delivered until a person resumes it, even after restarts. Messages wait in the outbox; other subscriptions continue.</p>`,
    verb: 'Pause',
    subscription,
    run: body => post(path`subscriptions/${subscription}/pause`, body),
    result: result => resultText(result, `${subscription} is paused.`),
    undo: body => post(path`subscriptions/${subscription}/resume`, body),
    of: subscription,
    after,
  });
}

export function resume(subscription, after) {
  ask({
    title: `Resume ${subscription}`,
    what: html`<p>A relay continues where this subscription stopped, at full speed.</p>`,
    verb: 'Resume',
    subscription,
    run: body => post(path`subscriptions/${subscription}/resume`, body),
    result: result => resultText(result, `${subscription} is resumed. A relay continues it within seconds.`),
    undo: body => post(path`subscriptions/${subscription}/pause`, body),
    of: subscription,
    after,
  });
}

export function resumeHalted(subscription, halted, after) {
  ask({
    title: `Resume ${subscription}`,
    what: html`<p>A relay has halted it: ${halted.reason}. The outbox was restored or truncated, or its sequence was set back.</p>
      <p>Messages with higher ids than this one are delivered, including those that were delivered before. <strong>Messages up to this id are not delivered.</strong> 0 delivers all messages in the outbox.</p>`,
    fields: [{ name: 'id', label: 'Resume after id', type: 'number', min: 0, required: true }],
    verb: 'Resume',
    subscription,
    run: ({ id, ...body }) => post(path`subscriptions/${subscription}/resume`, { after: Number(id), ...body }),
    result: result => resultText(result, `${subscription} is resumed. A relay continues it within seconds.`),
    after,
  });
}

export function pauseIntake(intake, after) {
  ask({
    title: `Pause intake ${intake}`,
    what: html`<p>No rows of its source are copied until a person resumes it, even after restarts. They stay pending in the source; other intakes and all subscriptions continue.</p>`,
    verb: 'Pause',
    subscription: `intake:${intake}`,
    run: body => post(path`intakes/${intake}/pause`, body),
    result: result => resultText(result, `Intake ${intake} is paused.`),
    undo: body => post(path`intakes/${intake}/resume`, body),
    of: `intake ${intake}`,
    after,
  });
}

export function resumeIntake({ intake, state, error: reason }, after) {
  ask({
    title: `Resume intake ${intake}`,
    what: state === 'halted'
      ? html`<p>A relay has halted it: ${reason}</p><p>It is tried again. If what halted it is not corrected, it is halted again; no row is copied twice by that.</p>`
      : html`<p>A relay continues to copy the rows that are pending in its source.</p>`,
    verb: 'Resume',
    subscription: `intake:${intake}`,
    run: body => post(path`intakes/${intake}/resume`, body),
    result: result => resultText(result, `Intake ${intake} is resumed. A relay continues it within seconds.`),
    undo: state === 'halted' ? undefined : body => post(path`intakes/${intake}/pause`, body),
    of: `intake ${intake}`,
    after,
  });
}

export function changeLanes(subscription, lanes, after) {
  ask({
    title: `Change the lanes of ${subscription}`,
    what: html`<p>Relays finish the messages in flight and release the subscription; then all lanes are changed at once. No message is lost or out of order; new messages wait meanwhile.</p>
      <p><strong>Afterwards only relays whose route has the new number work it</strong> (option <code>lanes</code>): change the route file on all relays immediately after this.</p>`,
    fields: [{ name: 'lanes', label: `Lanes (now ${lanes})`, type: 'number', min: 1, max: 64, value: String(lanes), required: true }],
    verb: 'Change lanes',
    subscription,
    run: ({ lanes: wanted, ...body }) => post(path`subscriptions/${subscription}/lanes`, { lanes: Number(wanted), ...body }),
    after,
  });
}

export function replay(subscription, filter, after) {
  const address = path`subscriptions/${subscription}/replay`;
  let dryRun;
  ask({
    title: `Replay messages of ${subscription}`,
    prepare: counting(() => post(address, { ...filter, dryRun: true }).then(found => { dryRun = found; return found; }), 'message'),
    what: found => html`
      <p><strong>${found.text}</strong> will be delivered again in order, with the same message ids. Progress does not change. New messages of these keys wait behind them.</p>
      ${dryRun.neverDeliveredAtLeast > 0 && html`<p>At least ${counted(dryRun.neverDeliveredAtLeast, 'message')} of them ${dryRun.neverDeliveredAtLeast === 1 ? 'is' : 'are'} delivered for the first time, such as messages from before the start of the subscription.</p>`}
      ${dryRun.edited > 0 && html`<p>${dryRun.more ? 'At least ' : ''}${counted(dryRun.edited, 'message')} ${dryRun.edited === 1 ? 'was' : 'were'} edited for a retry: the original content is sent, without the changes.</p>`}
      ${filter.forget && html`<p>Stored message ids are deleted, so receivers behind an idempotent consumer get the messages again.</p>`}`,
    fields: [RATE],
    verb: found => `Replay ${found.text}`,
    subscription,
    run: body => post(address, { ...filter, ...dryRun.times, ...numbers(body) }),
    after,
  });
}

export function retryDeadLetter({ subscription, id }, after) {
  ask({
    title: `Retry dead letter ${id}`,
    what: intakeOf(subscription) === null
      ? html`<p>It is delivered again by ${subscription} at once, with attempts counted from 0 again. If it fails again, it can become dead again.</p>`
      : html`<p>Its row is read again from the source. If a message can be made of it now, it is copied into the outbox; otherwise it is dead again.</p>`,
    verb: 'Retry',
    subscription,
    run: body => post(path`dead-letters/${subscription}/${id}/retry`, body),
    result: result => resultText(result, intakeOf(subscription) === null ? `${id} will be delivered again.` : `The row of ${id} will be read again.`),
    after,
  });
}

export function discardDeadLetter({ subscription, id }, after) {
  ask({
    title: `Discard dead letter ${id}`,
    what: html`<p><strong>${intakeOf(subscription) === null ? `${subscription} does not deliver it.` : 'No message is made of this row.'}</strong> It is kept for some days (<code>caravan.discarded.retention</code>), and the discard can be undone until then.</p>`,
    danger: true,
    needsReason: true,
    verb: 'Discard',
    subscription,
    run: body => post(path`dead-letters/${subscription}/${id}/discard`, body),
    result: result => resultText(result, `${id} is discarded.`),
    undo: body => post(path`dead-letters/discarded/${subscription}/${id}/undo`, body),
    undoable: result => result.discard,
    after,
  });
}

export function undoDiscard({ subscription, id }, after) {
  ask({
    title: `Undo the discard of ${id}`,
    what: html`<p>It is a dead letter of ${subscription} again, with its attempts and errors. If dead letters block their keys, later messages of its key wait again.</p>`,
    verb: 'Undo the discard',
    subscription,
    run: body => post(path`dead-letters/discarded/${subscription}/${id}/undo`, body),
    result: () => `${id} is a dead letter again.`,
    after,
  });
}

/** @param edit the changed fields as JSON text, which is sent exactly as it was written */
export function retryEdited({ subscription, id }, edit, after) {
  const address = path`dead-letters/${subscription}/${id}/retry`;
  ask({
    title: `Edit and retry dead letter ${id}`,
    prepare: () => post(address, `{"dryRun": true, "edit": ${edit}}`),
    what: found => html`
      <p>${intakeOf(subscription) === null ? `It is delivered by ${subscription}` : 'It is copied into the outbox'} with these changes. The audit stores the original.</p>
      <table class="diff"><thead><tr><th scope="col">Field</th><th scope="col">From</th><th scope="col">To</th></tr></thead>
        <tbody>${found.changes.map(change => html`
          <tr key=${change.path}><th scope="row"><code>${change.path}</code></th>
            <td><del>${written(change.from)}</del></td><td><ins>${written(change.to)}</ins></td></tr>`)}</tbody>
      </table>`,
    verb: 'Retry with these changes',
    subscription,
    run: body => post(address, `{"edit": ${edit}, ${JSON.stringify(body).slice(1)}`),
    result: result => resultText(result, `${id} will be delivered again with these changes.`),
    after,
  });
}

function written(value) {
  return value === null || value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
}

const SHOWN = 5;

/** The largest groups of errors, and whether their destinations have accepted messages since. */
function Errors({ preview: { items, complete, deliveredSince } }) {
  return html`
    <ul class="preview">
      ${items.slice(0, SHOWN).map(group => html`
        <li key=${group.subscription + group.group}><b>${number(group.count)}</b> ${error(group.errorClass, group.pattern)} <span class="quiet">(${group.subscription}, last ${distance(group.lastSeen)})</span></li>`)}
      ${(items.length > SHOWN || !complete) && html`<li class="quiet">and other errors</li>`}
    </ul>
    <ul class="preview">${deliveredSince.slice(0, SHOWN).map(it => html`<li key=${it.subscription}>${it.text}</li>`)}</ul>`;
}

/** Number of messages that are retried first. Others are retried when their outcome is known. */
const FIRST = 5;

/** Number of single messages that are selected; infinite if a filter selects them. */
function numberOf({ ids }) {
  return ids ? Object.values(ids).flat().length : Infinity;
}

export function changeDeadLetters(action, filter, after) {
  const discards = action === 'discard';
  let times = {};
  const run = body => post('dead-letters/bulk', { action, ...selected({ ...filter, ...times }), ...body });
  ask({
    title: `${discards ? 'Discard' : 'Retry'} ${filter.ids ? 'the selected' : 'all matching'} dead letters`,
    prepare: async () => {
      const [found, preview] = await Promise.all([
        counting(() => run({ dryRun: true }).then(answer => { times = answer.times; return answer; }), 'dead letter')(),
        discards || filter.ids ? null : get('dead-letters/groups', filter),
      ]);
      return { ...found, preview };
    },
    what: found => html`
      ${discards
        ? html`<p><strong>${found.text} will not be delivered.</strong> They are kept for some days (<code>caravan.discarded.retention</code>), and the discard can be undone until then.</p>`
        : html`<p><strong>${found.text}</strong> will be delivered again, with attempts counted from 0 again.${numberOf(filter) > FIRST && ' Five of each running subscription are retried first; the others follow when these are delivered, and it stops when they fail again.'}</p>`}
      ${found.preview && html`<${Errors} preview=${found.preview} />`}
      <${Filter} filter=${filter} /><p class="quiet">Messages that become dead after this count are not changed.</p>`,
    danger: discards,
    needsReason: discards,
    fields: [RATE],
    verb: found => `${discards ? 'Discard' : 'Retry'} ${found.text}`,
    subscription: filter.subscription,
    run: body => run(numbers(body)),
    after,
  });
}

export function changeBulkRetry({ id, subscription }, verb, title, after) {
  ask({
    title: `${title} bulk retry ${id}`,
    what: html`<p>${{
      pause: 'No more dead letters are retried until it is resumed.',
      resume: 'It continues. If it has stopped, five messages are retried first again.',
      cancel: 'It ends. Messages that were retried remain retried; the others remain dead letters.',
    }[verb]}</p>`,
    verb: title,
    subscription,
    run: body => post(path`bulk-retries/${id}/${verb}`, body),
    result: now => `Bulk retry ${id} is ${now.state}.`,
    after,
  });
}

export function markGroup(group, after) {
  ask({
    title: 'Note about a group of dead letters',
    what: html`<p><code>${group.pattern}</code></p><p class="quiet">The note is shown with all dead letters of this error, including later ones. It does not affect their delivery.</p>`,
    fields: [
      { name: 'note', label: 'Note', value: group.note ?? '', hint: 'For example the number of a ticket; no personal data.' },
      { name: 'known', label: 'The cause is known', type: 'checkbox', value: group.known },
    ],
    verb: 'Save',
    subscription: group.subscription,
    run: body => post(path`dead-letters/groups/${group.subscription}/${group.group}`, body),
    result: () => 'The note is stored.',
    after,
  });
}

export function retryNow({ subscription, id }, after) {
  ask({
    title: `Retry ${id} now`,
    what: html`<p>${subscription} makes the next attempt now. Attempts are not counted from 0 again: the next failure may be the last one.</p>`,
    verb: 'Retry now',
    subscription,
    run: body => post(path`retries/${subscription}/${id}/retry`, body),
    result: result => resultText(result, `${id} is retried now.`),
    after,
  });
}

export function giveUp({ subscription, id }, after) {
  ask({
    title: `Give up ${id}`,
    what: html`<p>It becomes a dead letter of ${subscription}, with its attempts and errors. The messages behind it follow, unless the route has <code>onDead=block</code> or order <code>strict</code>. A dead letter can be retried later.</p>`,
    danger: true,
    needsReason: true,
    verb: 'Give up',
    subscription,
    run: body => post(path`retries/${subscription}/${id}/give-up`, body),
    result: result => resultText(result, `${id} is a dead letter now.`),
    after,
  });
}

export function changeRetries(action, filter, after) {
  const givesUp = action === 'give-up';
  let times = {};
  const run = body => post('retries/bulk', { action, ...selected({ ...filter, ...times }), ...body });
  ask({
    title: `${givesUp ? 'Give up' : 'Retry'} ${filter.ids ? 'the selected' : 'all matching'} messages${givesUp ? '' : ' now'}`,
    prepare: counting(() => run({ dryRun: true }).then(found => { times = found.times; return found; }), 'waiting message'),
    what: found => html`
      <p><strong>${found.text}</strong> ${givesUp ? 'will become dead letters, with their attempts and errors.' : 'will be retried now. Attempts are not counted from 0 again: the next failure may be the last one.'}</p>
      <${Filter} filter=${filter} /><p class="quiet">Blocked messages, and messages that are tried after this count, are not changed.</p>`,
    danger: givesUp,
    needsReason: givesUp,
    fields: [RATE],
    verb: found => `${givesUp ? 'Give up' : 'Retry'} ${found.text}`,
    subscription: filter.subscription,
    run: body => run(numbers(body)),
    after,
  });
}

function Filter({ filter }) {
  if (filter.ids) {
    return null;
  }
  const given = Object.entries(filter).filter(([, value]) => value);
  return html`<p>${given.length === 0
    ? 'No filter: this applies to all subscriptions.'
    : html`Filter: ${given.map(([name, value]) => html`<code key=${name}>${name} = ${value}</code> `)}`}</p>`;
}

/** Converts the rate to a number, and leaves out an empty one. */
function numbers({ rate, ...rest }) {
  return rate ? { ...rest, rate: Number(rate) } : rest;
}

