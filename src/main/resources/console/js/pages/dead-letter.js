import { html } from '../../lib/htm-preact.js';
import { discardDeadLetter, retryDeadLetter, retryEdited } from '../actions.js';
import { get, path } from '../api.js';
import { AuditTable } from '../audit-table.js';
import { Content } from '../content.js';
import { Button, Facts, KeyLink, Loaded, MessageLink, Moment, Operator, Page, Section, SubscriptionLink, keyOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';

const LIST = { title: 'Dead letters', path: '/dead-letters' };

export function DeadLetter({ subscription, id, overview }) {
  const address = path`dead-letters/${subscription}/${id}`;
  const poll = usePoll(signal => get(address, {}, signal), 5, [address]);
  const gone = [404, 409].includes(poll.problem?.status);
  const changed = () => {
    poll.refresh();
    overview.refresh();
  };
  const named = { subscription, id: Number(id) };
  return html`
    <${Page} title=${`Dead letter ${id}`} parent=${LIST} actions=${poll.data && !gone && html`
      <${Operator}>
        <${Button} kind="primary" onClick=${() => retryDeadLetter(named, changed)}>Retry …<//>
        <${Button} kind="danger" onClick=${() => discardDeadLetter(named, changed)}>Discard …<//>
      <//>`}>
      ${gone
        ? html`<p class="panel">${poll.problem.detail} <a href=${href(`/messages/${id}`)}>What became of it</a></p>`
        : html`<${Loaded} poll=${poll}>${it => html`
            <${Section} title="Message">
              <${Facts} items=${[
                ['Subscription', html`<${SubscriptionLink} name=${it.subscription} />`],
                ['Key', html`<${KeyLink} name=${keyOf(it)} />`],
                ['Type', it.type],
                ['Id', html`<${MessageLink} id=${it.id} />`],
                ['Message id', html`<code>${it.messageId}</code>`, 'broad'],
                ['Written', html`<${Moment} at=${it.createdAt} />`],
                ['Attempts', it.attempts],
                ['First failed', html`<${Moment} at=${it.firstFailedAt} />`],
                ['Last failed', html`<${Moment} at=${it.lastFailedAt} />`],
                ['Edited', it.edited ? 'yes, before the last retry' : 'no'],
              ]} />
            <//>
            <${Section} title="Error">
              <${Facts} items=${[['Class', html`<code>${it.errorClass}</code>`, 'broad'], ['Step that failed', it.step && html`<code>${it.step}</code>`, 'broad']]} />
              <pre tabindex="0" class="wrap">${it.errorText}</pre>
              ${it.errorStack && html`<details><summary>Stack trace</summary><pre tabindex="0">${it.errorStack}</pre></details>`}
            <//>
            <${Content} address=${address} headerNames=${it.headerNames} onEdited=${edit => retryEdited(named, edit, changed)} />
            <${Section} title="What people did to it"><${AuditTable} items=${it.history} nothing="Nothing yet." /><//>`}<//>`}
    <//>`;
}
