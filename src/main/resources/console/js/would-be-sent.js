// What the route would send for a dead letter. The relay runs the route, and nothing is sent.
import { html, useState } from '../lib/htm-preact.js';
import { post } from './api.js';
import { Button, Facts, Failure, Operator, Section, useRunsRoutes } from './parts.js';

/** Nothing where no routes run. @param address of the dead letter in the API */
export function WouldBeSent({ address }) {
  const runsRoutes = useRunsRoutes();
  const [trial, setTrial] = useState(null);
  const [problem, setProblem] = useState(null);
  const [running, setRunning] = useState(false);
  async function run() {
    setRunning(true);
    try {
      setTrial(await post(`${address}/try`, {}));
      setProblem(null);
    } catch (refused) {
      setProblem(refused);
    } finally {
      setRunning(false);
    }
  }
  return runsRoutes && html`
    <${Operator}>
      <${Section} title="What would be sent" actions=${html`<${Button} onClick=${run} disabled=${running}>${trial ? 'Show again' : 'Show what would be sent'}<//>`}>
        ${problem && html`<${Failure} problem=${problem} />`}
        <div role="status">
          ${trial
            ? html`<${Trial} trial=${trial} />`
            : html`<p class="quiet">The relay runs the current route for this message. Endpoints are replaced, so nothing is sent. A bean that opens its own connections cannot be replaced.</p>`}
        </div>
      <//>
    <//>`;
}

function Trial({ trial }) {
  return html`
    <${Facts} items=${[
      ['Route', trial.route],
      ['If destinations accept it', trial.outcome, 'broad'],
      trial.errorText && ['Error', `${trial.errorClass}: ${trial.errorText}`, 'broad'],
    ]} />
    ${trial.sent.map((sent, i) => html`<${Sent} key=${i} sent=${sent} />`)}
    ${trial.sentByDeadLetterRoute.map((sent, i) => html`<${Sent} key=${`dead${i}`} sent=${sent} by=" by the route dead-letter" />`)}`;
}

function Sent({ sent, by = '' }) {
  return html`
    <h3>${sent.kind}${by}</h3>
    <pre tabindex="0" class="wrap">${lines(sent).join('\n')}</pre>`;
}

function lines(sent) {
  return [
    sent.destination,
    ...(sent.key === undefined || sent.key === null ? [] : [`key: ${sent.key}`]),
    ...sent.headers.map(({ name, value }) => `${name}: ${value}`),
    ...(sent.parameters ?? []).map((value, i) => `parameter ${i + 1}: ${value ?? 'null'}`),
    ...(sent.parts ?? []).flatMap(part => ['', part.type, part.content]),
    ...(sent.body === undefined ? [] : ['', sent.body ?? 'no body']),
  ];
}
