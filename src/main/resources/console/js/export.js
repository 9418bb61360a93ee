// The whole list that a page shows, as a file.
import { html, useEffect, useRef, useState } from '../lib/htm-preact.js';
import { download } from './api.js';
import { bytes } from './format.js';
import { Button, Failure, useMay } from './parts.js';

/**
 * @param list the address of the list in the API
 * @param filter what the page shows, with its order
 * @param content whether the payloads can be exported too
 */
export function Export({ list, filter, content = false }) {
  const operator = useMay('operate');
  const [payload, setPayload] = useState(false);
  const [state, setState] = useState({});
  const running = useRef(null);
  useEffect(() => () => running.current?.abort(), []);
  async function run(format) {
    const { signal } = running.current = new AbortController();
    setState({ loaded: 0 });
    try {
      await download(list, { ...filter, format, payload: payload || undefined }, signal, loaded => setState({ loaded }));
      setState({ done: true });
    } catch (problem) {
      setState(signal.aborted ? {} : { problem });
    }
  }
  const box = useRef();
  function closed(event) {
    if (event.key === 'Escape') {
      box.current.open = false;
      box.current.querySelector('summary').focus();
    }
  }
  return html`
    <details class="view export" ref=${box} onKeyDown=${closed}>
      <summary class="button">Export</summary>
      <div class="view-box">
        <p>All rows that match, not only this page.</p>
        ${content && operator && html`<label class="check"><input type="checkbox" name="payload" checked=${payload} onChange=${event => setPayload(event.target.checked)} /> with payloads and header values</label>`}
        ${state.loaded === undefined
          ? html`<p class="inline"><${Button} onClick=${() => run('csv')}>CSV<//> <${Button} onClick=${() => run('jsonl')}>JSON lines<//></p>`
          : html`<p class="inline" role="status">Exporting … ${bytes(state.loaded)} <${Button} onClick=${() => running.current.abort()}>Cancel<//></p>`}
        ${state.done && html`<p role="status">The file is complete.</p>`}
        ${state.problem && html`<${Failure} problem=${state.problem} />`}
      </div>
    </details>`;
}
