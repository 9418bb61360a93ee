// The page of one failed message, dead or waiting: the message, its error, its content and the changes by people.
import { html, useState } from '../lib/htm-preact.js';
import { get } from './api.js';
import { Attempts } from './attempts.js';
import { AuditTable } from './audit-table.js';
import { Content } from './content.js';
import { Cut } from './copyable.js';
import { Outcome, pageOf } from './outcome.js';
import { Facts, KeyLink, Loaded, MessageLink, Moment, Operator, Page, Section, State, SubscriptionLink, keyOf } from './parts.js';
import { usePoll } from './poll.js';
import { href } from './router.js';

/**
 * @param parent the list that contains it
 * @param address its address in the API
 * @param seconds between two requests
 * @param isHere whether it has its page here in a state of its outcome
 * @param state returns its state, if the list has several
 * @param next returns a fact about its next attempt
 * @param buttons returns the buttons for changes; none for a blocked message
 * @param edited the retry before which it was edited, in words
 * @param onEdited called with an edit; without it, editing is not possible
 */
export function FailedMessage({ title, parent, address, seconds, subscription, id, overview, isHere, state, next, buttons, edited, onEdited, children }) {
  const poll = usePoll(signal => get(address, {}, signal), seconds, [address]);
  const gone = [404, 409].includes(poll.problem?.status);
  const [changes, setChanges] = useState(0); // made here
  const [outcome, setOutcome] = useState(null);
  const changed = () => {
    setChanges(count => count + 1);
    poll.refresh();
    overview.refresh();
  };
  const reached = found => {
    setOutcome(found);
    if (isHere(found.state) === gone) {
      poll.refresh();
    }
  };
  const last = poll.data?.history.at(-1);
  const actions = poll.data && !gone && buttons(poll.data, changed);
  const followed = (gone || changes > 0 || last?.action === 'retry') && html`
    <${Outcome} subscription=${subscription} id=${id} about=${`${changes} ${gone} ${last?.id} ${poll.data?.lastFailedAt}`} onState=${reached}>
      ${gone && html`<${Links} outcome=${outcome} isHere=${isHere} subscription=${subscription} id=${id} />`}<//>`;
  return html`
    <${Page} title=${gone ? `Message ${id}` : title} parent=${parent} actions=${html`${!(gone && ['delivered', 'copied'].includes(outcome?.state)) && html`<a class="button" href=${href(`/why/${id}`)}>Why is it not delivered?</a> `}${actions && html`<${Operator}>${actions}<//>`}`}>
      ${followed}
      ${gone
        ? outcome && html`<${Section} title="Changes by people"><${AuditTable} items=${outcome.history} nothing="There are no changes." /><//>`
        : html`<${Loaded} poll=${poll}>${it => html`
            ${it.errorClass && html`<${Failed} it=${it} />`}
            <${Section} title="Message" actions=${state && html`<${State} state=${state(it)} />`}>
              <${Facts} items=${[
                ['Subscription', html`<${SubscriptionLink} name=${it.subscription} />`],
                ['Key', html`<${KeyLink} name=${keyOf(it)} />`],
                ['Type', html`<${Cut} text=${it.type} />`],
                ['Id', html`<${MessageLink} id=${it.id} />`],
                ['Message id', html`<code>${it.messageId}</code>`, 'broad'],
                ['Inserted', html`<${Moment} at=${it.createdAt} />`],
                next && next(it),
                ['Attempts', it.attempts],
                ['First failure', html`<${Moment} at=${it.firstFailedAt} />`],
                ['Latest failure', html`<${Moment} at=${it.lastFailedAt} />`],
                ['Edited', it.edited ? `yes, before ${edited}` : 'no'],
              ]} />
            <//>
            <${Attempts} failures=${it.failures} />
            <${Content} address=${address} headerNames=${it.headerNames} onEdited=${onEdited && (edit => onEdited(edit, changed))} />
            ${children}
            <${Section} title="Changes by people"><${AuditTable} items=${it.history} nothing="There are no changes." /><//>`}<//>`}
    <//>`;
}

/** Leads to where the message is now. */
function Links({ outcome, isHere, subscription, id }) {
  const page = outcome && !isHere(outcome.state) ? pageOf(outcome) : null;
  return html`
    <p class="links">${page && html`<a href=${page.href}>${page.title}</a>`}<a href=${href(`/messages/${id}`)}>Show the message in all subscriptions</a><span>Subscription <${SubscriptionLink} name=${subscription} /></span><a href=${href('/audit', { subscription })}>See the audit</a></p>`;
}

function Failed({ it }) {
  return html`
    <${Section} title="Error">
      ${it.answer && html`<p class="label">Answer of the destination</p><pre tabindex="0" class="wrap answer">${it.answer}</pre>`}
      <${Facts} items=${[['Class', html`<code>${it.errorClass}</code>`, 'broad'], it.step && ['Failed step', html`<code>${it.step}</code>`, 'broad']]} />
      <pre tabindex="0" class="wrap">${it.errorText}</pre>
      ${it.errorStack && html`<details><summary>Stack trace</summary><pre tabindex="0">${it.errorStack}</pre></details>`}
    <//>`;
}
