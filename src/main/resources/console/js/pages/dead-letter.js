import { html } from '../../lib/htm-preact.js';
import { discardDeadLetter, retryDeadLetter, retryEdited } from '../actions.js';
import { path } from '../api.js';
import { FailedMessage } from '../failed-message.js';
import { Button, intakeOf } from '../parts.js';
import { outbox } from '../router.js';
import { WouldBeSent } from '../would-be-sent.js';

const LIST = { title: 'Dead letters', path: '/dead-letters' };

export function DeadLetter({ subscription, id, overview }) {
  const named = { subscription, id: Number(id) };
  return html`
    <${FailedMessage} title=${`Dead letter ${id}`} parent=${LIST} address=${path`dead-letters/${subscription}/${id}`} seconds=${5} subscription=${subscription} id=${id} overview=${overview}
      isHere=${state => state === 'dead'}
      buttons=${(it, changed) => html`
        <${Button} kind="primary" onClick=${() => retryDeadLetter(named, changed)}>Retry …<//>
        <${Button} kind="danger" onClick=${() => discardDeadLetter(named, changed)}>Discard …<//>`}
      edited="the last retry"
      onEdited=${(edit, changed) => retryEdited(named, edit, changed)}>
      ${outbox === null && intakeOf(subscription) === null && html`<${WouldBeSent} address=${path`dead-letters/${subscription}/${id}`} />`}
    <//>`;
}
