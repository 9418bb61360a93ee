import { html, useState } from '../../lib/htm-preact.js';
import { discardDeadLetter, giveUp, replay, resume, resumeHalted, resumeIntake, retryDeadLetter, retryNow, undoDiscard } from '../actions.js';
import { get, path } from '../api.js';
import { Copyable, Cut } from '../copyable.js';
import { Outcome, stateOf } from '../outcome.js';
import { Admin, Ago, Button, Loaded, MessageLink, Moment, Operator, Page, Section, State, SubscriptionLink, intakeOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { href, outbox } from '../router.js';

const LIST = { title: 'Messages', path: '/messages' };

/** What nobody needs to act on is shown together, after the rest. */
const ENDED = ['delivered', 'not-selected'];

/** The pages that say what to do about a reason that no single change removes. */
const PAGES = {
  'no-relay': ['/help/runbooks/subscription-unowned', 'What to do'], 'intake-failing': ['/help/runbooks/intake-failing', 'What to do'], 'destination-unavailable': ['/help/runbooks/destination-down', 'What to do'],
  'changing-lanes': ['/jobs', 'See the job'], 'not-reached': ['/help/runbooks/lag-high', 'If that takes too long'],
};

/** @param subject an id, a message id or a key, as it is in the address */
export function Why({ subject, overview }) {
  const wanted = decodeURIComponent(subject);
  const poll = usePoll(signal => get(path`why/${wanted}`, {}, signal), 5, [wanted]);
  const [acted, setActed] = useState(null); // on which message of which subscription, and how often
  const changed = (subscription, id) => {
    setActed(last => ({ subscription, id, count: (last?.count ?? 0) + 1 }));
    poll.refresh();
    overview.refresh();
  };
  return html`
    <${Page} title=${`Why is ${wanted} not delivered yet?`} parent=${LIST}>
      ${acted && html`<${Outcome} key=${`${acted.subscription} ${acted.id}`} subscription=${acted.subscription} id=${acted.id} about=${acted.count} onState=${poll.refresh} />`}
      <${Loaded} poll=${poll}>${({ explanations, note }) => html`
        ${explanations.filter(it => !ENDED.includes(it.reasons[0]?.cause)).map(it => html`<${Held} key=${`${it.subscription} ${it.id}`} it=${it} changed=${changed} />`)}
        <${Ended} explanations=${explanations.filter(it => ENDED.includes(it.reasons[0]?.cause))} changed=${changed} />
        ${note && html`<p class="panel">${note}</p>`}
        ${explanations.length === 0 && !note && html`<p class="panel">There is no subscription.</p>`}`}<//>
    <//>`;
}

/** What holds a message in one subscription: the cause, what a person can do about it, then the rest. */
function Held({ it, changed }) {
  const { reasons: [first, ...others] } = it;
  return html`
    <${Section} title=${it.subscription ?? `Message ${it.id}`} actions=${html`<${State} state=${stateOf(first.cause)}>${first.cause.replaceAll('-', ' ')}<//>`}>
      <${Reason} reason=${first} it=${it} changed=${changed} isFirst />
      ${it.expectedAt && html`<p>Expected <${Ago} at=${it.expectedAt} />.</p>`}
      ${others.map((reason, i) => html`<div class="also" key=${i}><${Reason} reason=${reason} it=${it} changed=${changed} /></div>`)}
      <details>
        <summary>Details and commands</summary>
        <p>Message <${MessageLink} id=${it.id} />${it.subscription && html` to <${SubscriptionLink} name=${it.subscription} />`}.</p>
        ${outbox !== null && html`<p class="is-warning">These commands work on the outbox of your <a href=${href('/help/contexts')}>context</a>. Use one for the outbox ${outbox}.</p>`}
        <ul class="reasons">${it.reasons.map((reason, i) => html`
          <li key=${i}>
            ${reason.since && html`<p class="quiet">Since <${Moment} at=${reason.since} /></p>`}
            ${[reason.cause !== 'missing' && reason.next, ...reason.remedies.map(remedy => remedy.command)].filter(Boolean).map(command => html`<p key=${command}><${Copyable} text=${command} /></p>`)}
          </li>`)}</ul>
      </details>
    <//>`;
}

function Reason({ reason, it, changed, isFirst }) {
  return html`
    <p class="cause">${reason.text}.</p>
    ${reason.error && html`<p>${reason.cause !== 'halted' && html`<small class="quiet">Last error</small><br />`}<${Cut} error text=${reason.error} /></p>`}
    ${reason.cause === 'missing' && reason.next && html`<p>To end it and roll it back: <${Copyable} text=${reason.next} /></p>`}
    <${Remedies} reason=${reason} it=${it} changed=${changed} isFirst=${isFirst} />`;
}

/** What a person whose role permits it can do about a reason. */
function Remedies({ reason, it, changed, isFirst }) {
  const more = reason.cause === 'no-relay' && intakeOf(it.subscription) !== null ? ['/help/runbooks/intake-unowned', 'What to do'] : PAGES[reason.cause];
  return (reason.remedies.length > 0 || more) && html`
    <div class="buttons">
      <${Operator}>${reason.remedies.map((remedy, i) => html`<${Remedy} key=${remedy.action} remedy=${remedy} kind=${isFirst && i === 0 ? 'primary' : ''} reason=${reason} it=${it} changed=${changed} />`)}<//>
      ${more && html`<a class="button" href=${href(more[0])}>${more[1]}</a>`}
      ${reason.cause === 'dead' && html`<a class="button" href=${href(`/dead-letters/${it.subscription}/${it.id}`)}>See or edit it</a>`}
    </div>`;
}

function Remedy({ remedy: { action, message }, kind, reason, it: { subscription, id }, changed }) {
  const named = { subscription, id: message };
  const after = () => changed(subscription, message ?? id);
  const button = (title, act, of = kind) => html`<${Button} kind=${of} onClick=${act}>${title} …<//>`;
  const another = message !== null && message !== id ? ` ${message}` : '';
  switch (action) {
    case 'retry-dead-letter': return button(`Retry${another}`, () => retryDeadLetter(named, after));
    case 'discard-dead-letter': return button(another ? `Skip${another} (discard)` : 'Discard', () => discardDeadLetter(named, after), 'danger');
    case 'retry-now': return button(`Retry${another} now`, () => retryNow(named, after));
    case 'give-up': return button(`Give up${another}`, () => giveUp(named, after), 'danger');
    case 'undo-discard': return button('Undo the discard', () => undoDiscard(named, after));
    case 'resume': return button('Resume', () => resume(subscription, after));
    case 'resume-intake': return button('Resume', () => resumeIntake({ intake: intakeOf(subscription), state: reason.cause, error: reason.error }, after));
    case 'resume-halted': return html`<${Admin}>${button('Resume', () => resumeHalted(subscription, { reason: reason.error }, after))}<//>`;
    default: return null; // of a later version
  }
}

/** Where it is delivered, and the subscriptions that do not select it: few do. */
function Ended({ explanations, changed }) {
  const of = cause => explanations.filter(it => it.reasons[0].cause === cause);
  return html`
    ${of('delivered').length > 0 && html`
      <${Section} title="Delivered" actions=${html`<${State} state="delivered" />`}>
        <ul class="reasons">${of('delivered').map(it => html`
          <li key=${it.subscription}><p><${SubscriptionLink} name=${it.subscription} /> <span class="quiet">${it.reasons[0].text}</span></p>
            <${Admin}><${Button} onClick=${() => replay(it.subscription, { fromId: it.id, toId: it.id }, () => changed(it.subscription, it.id))}>Deliver it again …<//><//></li>`)}</ul>
      <//>`}
    ${of('not-selected').length > 0 && html`
      <${Section} title="Subscriptions that do not select it" actions=${html`<${State} state="not selected" />`}>
        <ul class="reasons">${of('not-selected').map(it => html`
          <li key=${it.subscription}><p><${SubscriptionLink} name=${it.subscription} /> <span class="quiet">${it.reasons[0].text}</span></p></li>`)}</ul>
      <//>`}`;
}
