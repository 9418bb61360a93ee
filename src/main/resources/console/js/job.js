// The progress of work on many messages, which relays continue after this page is closed.
import { html, useEffect, useState } from '../lib/htm-preact.js';
import { get, me, path, post } from './api.js';
import { number } from './format.js';
import { Button, Failure, Operator, State } from './parts.js';
import { usePoll } from './poll.js';
import { nameForAudit } from './preferences.js';

export function JobProgress({ job: started, onEnd }) {
  const [ended, setEnded] = useState(started.state === 'running' ? null : started);
  function end(job) {
    setEnded(job);
    onEnd?.(job);
  }
  return ended ? html`<${Status} job=${ended} />` : html`<${Running} job=${started} onEnd=${end} />`;
}

/** Polls every second until the job has ended. */
function Running({ job: started, onEnd }) {
  const poll = usePoll(signal => get(path`jobs/${started.id}`, {}, signal), job => (job.state === 'running' ? 1 : 0), [started.id]);
  const job = poll.data ?? started;
  useEffect(() => {
    if (job.state !== 'running') {
      onEnd(job);
    }
  }, [job.state]);
  return html`
    <${Status} job=${job}>
      ${poll.problem && html`<${Failure} problem=${poll.problem} />`}
      ${job.state === 'running' && html`<${Cancel} job=${job} onCancelled=${poll.refresh} />`}
    <//>`;
}

function Status({ job, children }) {
  return html`
    <div class="job" role="status">
      <p><${State} state=${job.state} busy=${job.state === 'running'} /> ${' '}<strong>${job.action}</strong>${' '}
        <${Done} job=${job} /></p>
      <${Bar} job=${job} />
      ${job.bulkRetries?.length > 0 && html`<p><${Outcomes} job=${job} /></p>`}
      ${job.waitsFor && html`<p class="quiet">Waiting for ${job.waitsFor}</p>`}
      ${job.error && html`<p class="failure">${job.error}</p>`}
      ${children}
    </div>`;
}

/** What became of the dead letters that a job has retried: its bulk retries know it. */
function Outcomes({ job }) {
  const poll = usePoll(signal => get('bulk-retries', {}, signal), () => (job.state === 'running' ? 1 : 0), [job.id], job.state);
  return html`<${Outcome} job=${job} retries=${poll.data?.items ?? []} />`;
}

/** @param retries bulk retries, among them those of the job */
export function Outcome({ job, retries }) {
  const own = retries.filter(retry => job.bulkRetries.includes(retry.id));
  const sum = field => own.reduce((all, retry) => all + retry[field], 0);
  return own.length > 0 && html`<span class="quiet">${number(sum('delivered'))} delivered, ${number(sum('failed'))} failed again${sum('pending') > 0 && `, ${number(sum('pending'))} not known yet`}</span>`;
}

export function Done({ job }) {
  return html`<span>${number(job.done)}${job.total === null ? '' : ` of ${number(job.total)}`}</span>`;
}

export function Bar({ job }) {
  return job.total === null && job.state !== 'running'
    ? null
    : html`<progress aria-label="Progress" max=${job.total || 1} value=${job.total === null ? undefined : job.done}></progress>`;
}

export function Cancel({ job, onCancelled }) {
  const [problem, setProblem] = useState(null);
  const [asked, setAsked] = useState(false);
  async function cancel() {
    setAsked(true);
    try {
      await post(path`jobs/${job.id}/cancel`, { by: me.get()?.name ?? nameForAudit.get() });
      onCancelled();
    } catch (refused) {
      setAsked(false);
      setProblem(refused);
    }
  }
  return html`
    <${Operator}>
      <${Button} onClick=${cancel} disabled=${asked}>${asked ? 'Cancelling …' : 'Cancel the job'}<//>
      ${problem && html`<${Failure} problem=${problem} />`}
    <//>`;
}
