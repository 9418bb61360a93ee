// Payload and headers of a message: personal, so only on request, and for operators.
import { html, useState } from '../lib/htm-preact.js';
import { getWritten, me } from './api.js';
import { indented, members, mistake } from './json.js';
import { Button, Failure, Section } from './parts.js';
import { useStore } from './store.js';

/**
 * @param address of the detail in the API
 * @param within the field of the answer that holds them, if it is not the answer itself
 * @param headerNames of the headers, which are no secret
 * @param onEdited takes the changed parts as JSON text; without it nothing can be edited
 */
export function Content({ address, within, headerNames, onEdited }) {
  const who = useStore(me);
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(null);
  const [editing, setEditing] = useState(false);
  async function show() {
    try {
      const answer = await getWritten(address, { payload: 'true' });
      const written = within ? members(answer[within]) : answer;
      setShown({ payload: written.payload ?? 'null', headers: written.headers ?? 'null' });
      setProblem(null);
    } catch (refused) {
      setProblem(refused);
    }
  }
  if (shown && editing) {
    return html`<${Section} title="Payload and headers"><${Editor} original=${shown} onEdited=${onEdited} onCancel=${() => setEditing(false)} /><//>`;
  }
  const buttons = who.role !== 'operator' ? null : shown === null
    ? html`<${Button} onClick=${show}>Show<//>`
    : html`<${Button} onClick=${() => setShown(null)}>Hide<//>${onEdited && html`<${Button} onClick=${() => setEditing(true)}>Edit and retry …<//>`}`;
  return html`
    <${Section} title="Payload and headers" actions=${buttons}>
      ${problem && html`<${Failure} problem=${problem} />`}
      ${shown === null
        ? html`<p class="quiet">${headerNames?.length > 0 ? `Headers: ${headerNames.join(', ')}. ` : ''}${who.role === 'operator'
            ? 'They may contain personal data and are shown on request.' : 'They may contain personal data and are not shown with a read token.'}</p>`
        : html`
          <h3>Payload</h3><pre tabindex="0" class="wrap payload">${indented(shown.payload)}</pre>
          <h3>Headers</h3><pre tabindex="0" class="wrap">${indented(shown.headers)}</pre>`}
    <//>`;
}

function Editor({ original, onEdited, onCancel }) {
  const start = { payload: indented(original.payload), headers: indented(original.headers) };
  const [text, setText] = useState(start);
  const changed = Object.keys(text).filter(part => text[part] !== start[part]);
  const wrong = Object.fromEntries(changed.map(part => [part, mistake(text[part])]).filter(([, what]) => what));
  const area = (part, rows) => html`
    <label class="field">
      <span>${part === 'payload' ? 'Payload' : 'Headers'}</span>
      <textarea name=${part} rows=${rows} spellcheck=${false} value=${text[part]} aria-invalid=${part in wrong}
          onInput=${event => setText({ ...text, [part]: event.target.value })}></textarea>
      ${wrong[part] && html`<small class="failure" role="alert">${wrong[part]}</small>`}
    </label>`;
  return html`
    ${area('payload', 14)}
    ${area('headers', 5)}
    <p class="quiet">A value shown as ••• is masked; leave it to keep the original value. You see the differences before anything is changed.</p>
    <div class="buttons">
      <${Button} kind="primary" disabled=${changed.length === 0 || Object.keys(wrong).length > 0}
          onClick=${() => onEdited(`{${changed.map(part => `"${part}": ${text[part]}`).join(', ')}}`)}>Compare and retry …<//>
      <${Button} onClick=${onCancel}>Cancel<//>
    </div>`;
}
