// Texts that people copy.
import { html, onLine, useState } from '../lib/htm-preact.js';
import { HIDDEN, HIDDEN_OR_BREAK, shown } from './characters.js';
import { Button } from './parts.js';

/** Whether the text was copied in the last two seconds, and a function that copies it. */
function useCopy(text) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // the clipboard is available only on pages with TLS or from this machine
      const area = document.createElement('textarea');
      area.value = text;
      (document.querySelector('dialog[open]') ?? document.body).append(area); // outside of an open dialog nothing can be selected
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  }
  return [copied, copy];
}

/** A command or a statement that people run elsewhere. */
export function Copyable({ text }) {
  const [copied, copy] = useCopy(text);
  return html`<span class="copyable"><code>${text}</code> <${Button} onClick=${copy}>${copied ? 'Copied' : 'Copy'}<//></span>`;
}

/** Longer texts get a button that copies them: about the length that fits into a column of a table. */
const LONG = 30;

/**
 * A text from outside, of any length: a key, a type, a name. It is cut at the end of the line, the whole text is its title, and a button copies it.
 *
 * @param error whether it is the text of an error, which gets two lines and keeps its line breaks
 * @param address what it links to, if it is a link
 */
export function Cut({ text, error = false, address }) {
  const value = String(text ?? '–');
  const title = shown(value, error ? HIDDEN : HIDDEN_OR_BREAK);
  const content = html`<${address ? 'a' : 'span'} class=${error ? 'error-text' : 'name'} title=${title} href=${address}>${error ? value : onLine(value)}<//>`;
  return value.length <= (error ? 3 * LONG : LONG) && title === value ? content : html`<span class="cut">${content}<${CopyButton} text=${value} /></span>`;
}

function CopyButton({ text }) {
  const [copied, copy] = useCopy(text);
  return html`
    <button type="button" class="copy" aria-label=${copied ? 'Copied' : 'Copy the whole text'} title=${copied ? 'Copied' : 'Copy the whole text'} onClick=${copy}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.4" d=${copied ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5h8v8h-8ZM3 10.5H2.5v-8h8V3'} /></svg>
    </button>`;
}
