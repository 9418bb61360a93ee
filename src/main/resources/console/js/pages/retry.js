import { html } from '../../lib/htm-preact.js';
import { giveUp, retryNow } from '../actions.js';
import { path } from '../api.js';
import { FailedMessage } from '../failed-message.js';
import { Obstacle, WAITING } from '../outcome.js';
import { Button, Moment } from '../parts.js';
import { WaitsFor } from './retries.js';

const LIST = { title: 'Retries', path: '/retries' };

export function Retry({ subscription, id, overview }) {
  const named = { subscription, id: Number(id) };
  return html`
    <${FailedMessage} title=${`Waiting message ${id}`} parent=${LIST} address=${path`retries/${subscription}/${id}`} seconds=${3} subscription=${subscription} id=${id} overview=${overview}
      isHere=${state => WAITING.includes(state)}
      state=${it => (it.blocked ? 'blocked' : 'waiting')}
      next=${it => (it.blocked ? ['Waits for', html`<${WaitsFor} it=${it} />`] : ['Next attempt', it.obstacle ? html`<${Obstacle} it=${it.obstacle} of=${it.subscription} />` : html`<${Moment} at=${it.nextAttemptAt} />`])}
      buttons=${(it, changed) => !it.blocked && html`
        <${Button} kind="primary" onClick=${() => retryNow(named, changed)}>Retry now …<//>
        <${Button} kind="danger" onClick=${() => giveUp(named, changed)}>Give up …<//>`}
      edited="this retry" />`;
}
