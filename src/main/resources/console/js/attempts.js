// The failed attempts of a message: the response or error of each one, its relay and its duration.
import { html } from '../lib/htm-preact.js';
import { counted, distance, error, millis, moment } from './format.js';
import { Section } from './parts.js';

/** One sentence on a failed attempt. */
export function sentence(it) {
  return `attempt ${it.attempt} by ${it.relay} failed after ${millis(it.durationMillis)}: ${it.answer ?? error(it.errorClass, it.errorText)}`;
}

export function Attempts({ failures }) {
  return failures.length > 0 && html`
    <${Section} title="Attempts">
      <ol class="timeline">
        ${failures.map((it, n) => html`
          ${left(failures[n - 1], it) > 0 && html`<li class="quiet">${counted(left(failures[n - 1], it), 'attempt')} not stored</li>`}
          <li><time datetime=${it.at}>${moment(it.at)}</time> <span class="quiet">${distance(it.at)}</span> <span>${sentence(it)}</span></li>`)}
      </ol>
    <//>`;
}

/** Number of attempts between two stored ones: the first one and the latest ones are stored. */
function left(before, it) {
  return before ? it.attempt - before.attempt - 1 : 0;
}
