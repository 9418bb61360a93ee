import { html } from '../../lib/htm-preact.js';
import { pauseIntake, resumeIntake } from '../actions.js';
import { get, path } from '../api.js';
import { AuditTable } from '../audit-table.js';
import { Cut } from '../copyable.js';
import { duration, number } from '../format.js';
import { DeadRows } from '../intakes.js';
import { Ago, Button, Facts, Loaded, Moment, Operator, Page, Section, State } from '../parts.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';

const OVERVIEW = { title: 'Overview', path: '/' };

/** The runbook of a state, and what the state means. */
const TROUBLE = {
  failing: ['intake-failing', 'The source cannot be reached, read or marked. The relay tries again every 30 s at the latest.'],
  halted: ['intake-halted', 'A relay has stopped it, and a person must correct it.'],
  'no relay': ['intake-unowned', 'No relay has the file of this intake, or none runs.'],
};

export function Intake({ name, overview }) {
  const poll = usePoll(signal => get(path`intakes/${name}`, {}, signal), 3, [name]);
  const changed = () => {
    poll.refresh();
    overview.refresh();
  };
  return html`
    <${Page} title=${`Intake ${name}`} parent=${OVERVIEW} actions=${poll.data && html`<${Actions} it=${poll.data} changed=${changed} />`}>
      <${Loaded} poll=${poll}>${it => html`
        <${Now} it=${it} />
        <${Trouble} it=${it} />
        <${Section} title="Latest changes by people" actions=${html`<a href=${href('/audit', { subscription: `intake:${name}` })}>all</a>`}>
          <${AuditTable} items=${it.audit} nothing="There are no changes." />
        <//>`}<//>
    <//>`;
}

function Actions({ it, changed }) {
  return html`
    <${Operator}>
      ${it.state === 'paused' || it.state === 'halted'
        ? html`<${Button} kind="primary" onClick=${() => resumeIntake(it, changed)}>Resume …<//>`
        : html`<${Button} onClick=${() => pauseIntake(it.intake, changed)}>Pause …<//>`}
    <//>`;
}

function Now({ it }) {
  return html`
    <${Section} title="Now" actions=${html`<${State} state=${it.state} />`}>
      <${Facts} items=${[
        ['Source', html`<${Cut} text=${it.source} />`],
        ['Relay', it.relay ? html`<${Cut} text=${it.relay} />` : '–'],
        ['Lag', html`<span title="Each row that is pending now was committed in this time">${duration(it.lagSeconds)}</span>`],
        ['Rows copied', number(it.copied)],
        ['Last copied', html`<${Ago} at=${it.copiedAt} />`],
        ['Rows rejected', number(it.rejected)],
        ['Dead letters', html`<${DeadRows} it=${it} />`],
        ['Waiting for a retry', html`<a href=${href('/retries', { subscription: `intake:${it.intake}` })}>show</a>`],
      ]} />
    <//>`;
}

function Trouble({ it }) {
  const [runbook, text] = TROUBLE[it.state] ?? [];
  return (runbook || it.error) && html`
    <${Section} title="What is wrong">
      ${it.error && html`<${Facts} items=${[
        it.failingSince && ['Failing since', html`<${Moment} at=${it.failingSince} />`],
        [it.state === 'halted' ? 'Reason' : 'Last error', html`<${Cut} error text=${it.error} />`, 'broad'],
      ]} />`}
      ${runbook && html`<p class="quiet">${text} Rows stay pending in the source; nothing is lost. <a href=${href(`/help/runbooks/${runbook}`)}>What to do</a></p>`}
    <//>`;
}
