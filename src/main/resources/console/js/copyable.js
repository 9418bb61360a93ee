// A command or a statement that people run elsewhere.
import { html, useRef, useState } from '../lib/htm-preact.js';
import { Button } from './parts.js';

export function Copyable({ text }) {
  const code = useRef();
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // the clipboard is available only on pages with TLS or from this machine
      getSelection().selectAllChildren(code.current);
      document.execCommand('copy');
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  }
  return html`<span class="copyable"><code ref=${code}>${text}</code> <${Button} onClick=${copy}>${copied ? 'Copied' : 'Copy'}<//></span>`;
}
