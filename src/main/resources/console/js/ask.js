// The dialog of every change: it says what will happen, asks for a reason, and shows the result.
import { html, useLayoutEffect, useRef, useState } from '../lib/htm-preact.js';
import { me, post } from './api.js';
import { counted } from './format.js';
import { JobProgress } from './job.js';
import { Button, Failure, Shape } from './parts.js';
import { nameForAudit, rememberName } from './preferences.js';
import { href, outbox } from './router.js';
import { store, useStore } from './store.js';

const question = store(null);

/** How long a toast is shown. */
const TOAST_SECONDS = 12;

const toasts = store([]);

/**
 * Shows the result of a change for some seconds. Nobody has to close it.
 *
 * @param undo undoes the change, if that is possible
 * @param failed whether the text is about a failure
 * @param of      what has one state only: an earlier result about it is no longer true
 */
function toast({ text, subscription, undo, failed = false, of }) {
  const shown = { id: Date.now() + Math.random(), text, subscription, undo, failed, of };
  toasts.set([...toasts.get().filter(each => !of || each.of !== of), shown]);
  setTimeout(() => dismiss(shown), TOAST_SECONDS * 1000);
}

function dismiss(shown) {
  toasts.set(toasts.get().filter(each => each !== shown));
}

export function Toasts() {
  const all = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">${all.map(each => html`<${Toast} key=${each.id} it=${each} />`)}</div>`;
}

function Toast({ it }) {
  const undo = () => {
    dismiss(it);
    it.undo();
  };
  return html`
    <p class=${it.failed ? 'toast failed' : 'toast'}><span><${Shape} kind=${it.failed ? 'critical' : 'good'} /> ${it.text}</span>
      ${it.undo && html`<${Button} onClick=${undo}>Undo<//>`}
      ${it.subscription && html`<a href=${href('/audit', { subscription: it.subscription })} onClick=${() => dismiss(it)}>See the audit</a>`}
      <button type="button" class="link" aria-label="Dismiss" onClick=${() => dismiss(it)}>✕</button></p>`;
}

/**
 * Asks for a change. The parts of a question:
 *   title, verb     the heading, and the text of the button
 *   what            what will happen, in words; or a function of the result of prepare
 *   danger          whether the change stops the delivery of messages
 *   needsReason     whether a reason is required
 *   fields          more fields: {name, label, type, hint, value}
 *   prepare         runs before the question is shown, e.g. counts; may return {nothing: text}
 *   run             makes the change; takes {reason, by} and the fields; returns the result or a job
 *   result          a text about the result of run, unless that is a job
 *   undo            makes the opposite change; takes {by, reason}
 *   undoable        whether the result of run can be undone; default: always
 *   subscription    the subscription whose audit the result links to
 *   of              what has one state only: the result replaces an earlier one about it
 *   after           called when something was changed
 */
export function ask(asked) {
  question.set({ ...asked, id: Date.now() });
}

export function Dialogs() {
  const asked = useStore(question);
  return asked && html`<${Dialog} key=${asked.id} question=${asked} />`;
}

function Dialog({ question: asked }) {
  const box = useRef();
  const [state, setState] = useState({ phase: asked.prepare ? 'preparing' : 'ready' });
  const [form, setForm] = useState(() => Object.fromEntries((asked.fields ?? []).map(field => [field.name, field.value ?? ''])));
  const known = useStore(me)?.name; // a person whose name is known cannot give another one
  const name = useStore(nameForAudit);
  const [by, setBy] = useState(name);
  const running = state.phase === 'running';

  useLayoutEffect(() => {
    box.current.showModal();
    if (asked.prepare) {
      asked.prepare().then(
        found => setState(found?.nothing ? { phase: 'nothing', found } : { phase: 'ready', found }),
        problem => setState({ phase: 'refused', problem }));
    }
  }, []);

  // A layout effect: if the focus moved after the fields had appeared, typed text could end up in another field.
  useLayoutEffect(() => {
    if (state.phase === 'ready' && !state.problem) {
      box.current.querySelector('input').focus();
    } else if (['done', 'nothing', 'refused'].includes(state.phase)) {
      box.current.querySelector('.buttons button').focus();
    }
  }, [state.phase]);

  async function run(event) {
    event.preventDefault();
    if (state.phase !== 'ready') {
      return;
    }
    setState({ ...state, phase: 'running', problem: null });
    const { reason, ...values } = form;
    try {
      if (!known) {
        rememberName(by.trim());
      }
      const result = await asked.run({ reason: reason?.trim() || undefined, by: known ?? by.trim(), ...values });
      if (isJob(result)) {
        setState({ ...state, phase: 'done', result });
      } else {
        box.current.close();
        const undo = result?.changed !== false && asked.undo && (asked.undoable?.(result) ?? true);
        toast({ text: asked.result(result), subscription: asked.subscription, of: asked.of, undo: undo && (() => undoChange(asked, known ?? by.trim())) });
      }
      asked.after?.(result);
    } catch (problem) {
      setState({ ...state, phase: 'ready', problem });
    }
  }

  const set = field => event => setForm({ ...form, [field]: event.target.type === 'checkbox' ? event.target.checked : event.target.value });
  const close = () => box.current.close();
  return html`
    <dialog ref=${box} aria-labelledby="question" class=${asked.danger ? 'danger' : ''}
        onCancel=${event => running && event.preventDefault()} onClose=${() => question.set(null)}>
      <form onSubmit=${run}>
        <h2 id="question">${asked.title}${outbox !== null && html` <small>in outbox ${outbox}</small>`}</h2>
        ${state.phase === 'preparing' && html`<p role="status" class="quiet">Counting …</p>`}
        ${state.phase === 'nothing' && html`<p>${state.found.nothing}</p>`}
        ${state.phase === 'refused' && html`<${Failure} problem=${state.problem} />`}
        ${['ready', 'running'].includes(state.phase) && html`
          <div class="what">${typeof asked.what === 'function' ? asked.what(state.found) : asked.what}</div>
          <fieldset disabled=${running}>
            ${(asked.fields ?? []).map(field => html`<${Field} key=${field.name} field=${field} value=${form[field.name]} onInput=${set(field.name)} />`)}
            <${Field} field=${{ name: 'reason', label: asked.needsReason ? 'Reason' : 'Reason (optional)', required: asked.needsReason, hint: 'For the audit; no personal data.' }}
                value=${form.reason ?? ''} onInput=${set('reason')} />
            ${!known && html`<${Field} field=${{ name: 'by', label: 'Your name', required: true, hint: 'For the audit; this browser stores it.' }} value=${by} onInput=${event => setBy(event.target.value)} />`}
          </fieldset>
          ${state.problem && html`<${Failure} problem=${state.problem} />`}`}
        ${state.phase === 'done' && html`<${Result} asked=${asked} result=${state.result} />`}
        <div class="buttons">
          ${['ready', 'running'].includes(state.phase) && html`
            <${Button} type="submit" kind=${asked.danger ? 'primary danger' : 'primary'} disabled=${running}>
              ${running ? 'Working …' : typeof asked.verb === 'function' ? asked.verb(state.found) : asked.verb}
            <//>`}
          <${Button} onClick=${close} disabled=${running}>${['ready', 'running', 'preparing'].includes(state.phase) ? 'Cancel' : 'Close'}<//>
        </div>
      </form>
    </dialog>`;
}

function Field({ field, value, onInput }) {
  if (field.type === 'checkbox') {
    return html`<label class="check"><input type="checkbox" name=${field.name} checked=${value} onChange=${onInput} /> ${field.label}</label>`;
  }
  return html`
    <label class="field">
      <span>${field.label}</span>
      <input type=${field.type ?? 'text'} name=${field.name} value=${value} onInput=${onInput} required=${field.required}
          min=${field.min} max=${field.max} maxlength="500" autocomplete="off" />
      ${field.hint && html`<small>${field.hint}</small>`}
    </label>`;
}

/** Makes the opposite change, with the same name in the audit. */
async function undoChange(asked, by) {
  try {
    await asked.undo({ by, reason: 'undo' });
    toast({ text: `Undone: ${asked.title}.`, subscription: asked.subscription, of: asked.of });
  } catch (problem) {
    toast({ text: `Could not undo: ${problem.detail ?? problem.message}`, subscription: asked.subscription, failed: true });
  }
  asked.after?.();
}

function isJob(result) {
  return result?.state && result.id !== undefined && result.done !== undefined;
}

function Result({ asked, result }) {
  const [job, setJob] = useState(result);
  const [ended, setEnded] = useState(null);
  const [problem, setProblem] = useState(null);
  function end(last) {
    setEnded(last);
    asked.after?.(last);
  }
  async function undo() {
    try {
      const started = await post('dead-letters/discarded/undo', { filter: { discard: ended.discard }, by: me.get().name ?? nameForAudit.get(), reason: 'undo' });
      setEnded(null);
      setJob(started);
    } catch (refused) {
      setProblem(refused);
    }
  }
  const leave = () => question.set(null);
  const last = ended ?? job;
  return html`<${JobProgress} key=${job.id} job=${job} onEnd=${end} />
    ${ended?.discard && ended.done > 0 && html`<p><${Button} onClick=${undo}>Undo the discard<//></p>`}
    ${problem && html`<${Failure} problem=${problem} />`}
    <p class="links">
      ${last.state === 'failed' && last.bulkRetries?.length > 0 && html`<a href=${href('/jobs')} onClick=${leave}>Resume or cancel it on the page Jobs</a>`}
      <a href=${href('/audit', { subscription: asked.subscription })} onClick=${leave}>See the audit</a>
    </p>`;
}

/** Counts the messages of a change, or reports that there are none. The relay counts for a few seconds at most. */
export function counting(request, thing) {
  return async () => {
    const { messages, more } = await request();
    return messages === 0 && !more
      ? { nothing: `No ${thing} matches. Nothing was changed.` }
      : { text: `${more ? 'more than ' : ''}${counted(messages, thing)}` };
  };
}
