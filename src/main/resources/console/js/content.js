// Payload and headers of a message. They may be personal data, so they are shown only on request and with the role operate.
import { html, useEffect, useRef, useState } from '../lib/htm-preact.js';
import { getWritten } from './api.js';
import { indented, members, mistake } from './json.js';
import { Button, Failure, Section, useMay } from './parts.js';

/**
 * @param address of the detail in the API
 * @param within the field of the response that contains them; without it, the response itself
 * @param headerNames names of the headers, which are not secret
 * @param onEdited called with the changed parts as JSON text; without it, editing is not possible
 */
export function Content({ address, within, headerNames, onEdited }) {
  const mayRead = useMay('operate');
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(null);
  const [editing, setEditing] = useState(false);
  async function show() {
    try {
      const answer = await getWritten(address, { payload: 'true' });
      const written = within ? members(answer[within]) : answer;
      setShown({
        payload: written.payload ?? 'null', headers: written.headers ?? 'null',
        bytes: written.payloadBase64 && bytesOf(JSON.parse(written.payloadBase64)),
      });
      setProblem(null);
    } catch (refused) {
      setProblem(refused);
    }
  }
  if (shown && editing) {
    return html`<${Section} title="Payload and headers"><${Editor} original=${shown} onEdited=${onEdited} onCancel=${() => setEditing(false)} /><//>`;
  }
  const buttons = !mayRead ? null : shown === null
    ? html`<${Button} onClick=${show}>Show<//>`
    : html`<${Button} onClick=${() => setShown(null)}>Hide<//>${onEdited && html`<${Button} onClick=${() => setEditing(true)}>Edit and retry …<//>`}`;
  return html`
    <${Section} title="Payload and headers" actions=${buttons}>
      ${problem && html`<${Failure} problem=${problem} />`}
      ${shown === null
        ? html`<p class="quiet">${headerNames?.length > 0 ? `Headers: ${headerNames.join(', ')}. ` : ''}${mayRead
            ? 'They may contain personal data and are shown on request.' : 'They may contain personal data and need the role operate.'}</p>`
        : html`
          <h3>Payload</h3>
          ${shown.bytes ? html`<${Bytes} bytes=${shown.bytes} />` : html`<pre tabindex="0" class="wrap payload">${indented(shown.payload)}</pre>`}
          <h3>Headers</h3><pre tabindex="0" class="wrap">${indented(shown.headers)}</pre>`}
    <//>`;
}

const BYTES_SHOWN = 512;
const BYTES_IN_LINE = 16;

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
}

/** A binary payload: its size, and its beginning as hexdump -C shows it. */
function Bytes({ bytes }) {
  const lines = [];
  for (let from = 0; from < Math.min(bytes.length, BYTES_SHOWN); from += BYTES_IN_LINE) {
    const part = [...bytes.slice(from, Math.min(from + BYTES_IN_LINE, BYTES_SHOWN))];
    const hex = part.map(byte => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map(byte => byte < 32 || byte > 126 ? '.' : String.fromCharCode(byte)).join('');
    lines.push(`${from.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * BYTES_IN_LINE - 1)}  |${text}|`);
  }
  const size = `Binary, ${bytes.length.toLocaleString('en')} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  return html`
    <p class="quiet">${size}${bytes.length > BYTES_SHOWN ? `. The first ${BYTES_SHOWN}:` : ''}</p>
    ${bytes.length > 0 && html`<pre tabindex="0" class="payload">${lines.join('\n')}</pre>`}`;
}

function Editor({ original, onEdited, onCancel }) {
  const start = { payload: indented(original.payload), headers: indented(original.headers) };
  const [text, setText] = useState(start);
  const first = useRef();
  useEffect(() => first.current.querySelector('textarea').focus(), []);
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
    <div ref=${first}>
    ${original.bytes
      ? html`<p>The payload is binary and cannot be edited here. Replace it with <code>./caravan dead-letters retry … --payload-file FILE</code>.</p>`
      : area('payload', 14)}
    ${area('headers', 5)}
    <p class="quiet">A value shown as ••• is masked; leave it to keep the original value. You see the differences before anything is changed.</p>
    <div class="buttons">
      <${Button} kind="primary" disabled=${changed.length === 0 || Object.keys(wrong).length > 0}
          onClick=${() => onEdited(`{${changed.map(part => `"${part}": ${text[part]}`).join(', ')}}`)}>Compare and retry …<//>
      <${Button} onClick=${onCancel}>Cancel<//>
    </div>
    </div>`;
}
