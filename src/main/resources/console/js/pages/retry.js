import { html } from '../../lib/htm-preact.js';
import { giveUp, retryNow } from '../actions.js';
import { get, path } from '../api.js';
import { AuditTable } from '../audit-table.js';
import { Content } from '../content.js';
import { error } from '../format.js';
import { Button, Facts, KeyLink, Loaded, MessageLink, Moment, Operator, Page, Section, State, SubscriptionLink, keyOf } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';
import { WaitsFor } from './retries.js';

const LIST = { title: 'Retries', path: '/retries' };

export function Retry({ subscription, id, overview }) {
  const address = path`retries/${subscription}/${id}`;
  const poll = usePoll(signal => get(address, {}, signal), 3, [address]);
  const gone = [404, 409].includes(poll.problem?.status);
  const changed = () => {
    poll.refresh();
    overview.refresh();
  };
  const named = { subscription, id: Number(id) };
  return html`
    <${Page} title=${`Waiting message ${id}`} parent=${LIST} actions=${poll.data && !gone && !poll.data.blocked && html`
      <${Operator}>
        <${Button} kind="primary" onClick=${() => retryNow(named, changed)}>Try now …<//>
        <${Button} kind="danger" onClick=${() => giveUp(named, changed)}>Give up …<//>
      <//>`}>
      ${gone
        ? html`<p class="panel">${poll.problem.detail} <a href=${href(`/messages/${id}`)}>What became of it</a></p>`
        : html`<${Loaded} poll=${poll}>${it => html`
            <${Section} title="Message" actions=${html`<${State} state=${it.blocked ? 'blocked' : 'waiting'} />`}>
              <${Facts} items=${[
                ['Subscription', html`<${SubscriptionLink} name=${it.subscription} />`],
                ['Key', html`<${KeyLink} name=${keyOf(it)} />`],
                ['Type', it.type],
                ['Id', html`<${MessageLink} id=${it.id} />`],
                ['Message id', html`<code>${it.messageId}</code>`, 'broad'],
                ['Written', html`<${Moment} at=${it.createdAt} />`],
                it.blocked ? ['Waits for', html`<${WaitsFor} it=${it} />`] : ['Next attempt', html`<${Moment} at=${it.nextAttemptAt} />`],
                ['Attempts', it.attempts],
                ['First failed', html`<${Moment} at=${it.firstFailedAt} />`],
                ['Last failed', html`<${Moment} at=${it.lastFailedAt} />`],
                ['Edited', it.edited ? 'yes, before this retry' : 'no'],
              ]} />
              ${it.errorClass && html`<h3>Last error</h3><pre tabindex="0" class="wrap">${error(it.errorClass, it.errorText)}</pre>`}
            <//>
            <${Content} address=${address} headerNames=${it.headerNames} />
            <${Section} title="What people did to it"><${AuditTable} items=${it.history} nothing="Nothing yet." /><//>`}<//>`}
    <//>`;
}
