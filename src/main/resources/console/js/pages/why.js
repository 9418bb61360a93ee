import { html } from '../../lib/htm-preact.js';
import { get, path } from '../api.js';
import { Copyable } from '../copyable.js';
import { Ago, Loaded, MessageLink, Moment, Page, Section, State, SubscriptionLink } from '../parts.js';
import { usePoll } from '../poll.js';

const LIST = { title: 'Messages', path: '/messages' };

const STATES = {
  delivered: 'delivered', discarded: 'discarded', 'not-selected': 'not selected', dead: 'dead', 'waits-for-retry': 'waiting',
  'behind-message': 'blocked', 'behind-dead-letter': 'blocked', paused: 'paused', halted: 'halted', 'changing-lanes': 'changing lanes',
  'no-relay': 'no relay', 'destination-unavailable': 'destination unavailable', 'not-reached': 'not reached', 'in-flight': 'in flight',
};

function isSelected(explanation) {
  return explanation.reasons[0]?.cause !== 'not-selected';
}

/** @param subject an id, a message id or a key, as it is in the address */
export function Why({ subject }) {
  const wanted = decodeURIComponent(subject);
  const poll = usePoll(signal => get(path`why/${wanted}`, {}, signal), 5, [wanted]);
  return html`
    <${Page} title=${`Why is ${wanted} not delivered yet?`} parent=${LIST}>
      <${Loaded} poll=${poll}>${({ explanations, note }) => html`
        ${explanations.filter(isSelected).map(it => html`
          <${Section} key=${it.subscription} title=${it.subscription ?? `Message ${it.id}`}
              actions=${it.reasons.length > 0 && html`<${State} state=${STATES[it.reasons[0].cause]}>${it.reasons[0].cause.replaceAll('-', ' ')}<//>`}>
            <p class="quiet">Message <${MessageLink} id=${it.id} />${it.subscription && html` to <${SubscriptionLink} name=${it.subscription} />`}</p>
            <ul class="reasons">
              ${it.reasons.map(reason => html`
                <li>
                  <p>${reason.text}${reason.since && html` <span class="quiet">(since <${Moment} at=${reason.since} />)</span>`}</p>
                  ${reason.next && html`<p><${Copyable} text=${reason.next} /></p>`}
                </li>`)}
            </ul>
            ${it.expectedAt && html`<p>Expected <${Ago} at=${it.expectedAt} />.</p>`}
          <//>`)}
        <${NotSelected} explanations=${explanations.filter(it => !isSelected(it))} />
        ${note && html`<p class="panel">${note}</p>`}
        ${explanations.length === 0 && !note && html`<p class="panel">There is no subscription.</p>`}`}<//>
    <//>`;
}

/** Shown together after the others, because few subscriptions select a message. */
function NotSelected({ explanations }) {
  return explanations.length > 0 && html`
    <${Section} title="Subscriptions that do not select it" actions=${html`<${State} state="not selected" />`}>
      <ul class="reasons">
        ${explanations.map(it => html`
          <li key=${it.subscription}><p><${SubscriptionLink} name=${it.subscription} /> <span class="quiet">${it.reasons[0].text}</span></p></li>`)}
      </ul>
      <p><${Copyable} text=${explanations[0].reasons[0].next} /></p>
    <//>`;
}
