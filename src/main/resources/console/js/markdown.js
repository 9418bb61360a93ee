// Renders the part of Markdown that our own pages use. Creates elements, never markup, so that no text can become a script.
import { html } from '../lib/htm-preact.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w.*])\*([^*\s][^*]*)\*(?!\w)|!\[([^\]]*)\]\([^)]*\)|\[([^\]]+)\]\(([^)\s]+)\)|<(https?:[^>]+)>/g;

/** @param address returns the target of a link in the text, or null if the console has none */
export function Markdown({ text, address }) {
  return blocks(text.split('\n'), address);
}

export function anchor(heading) {
  return heading.toLowerCase().replace(/[^a-z0-9 _-]/g, '').replaceAll(' ', '-');
}

function blocks(lines, address) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const end = (from, belongs) => {
      let to = from;
      while (to < lines.length && belongs(lines[to])) {
        to++;
      }
      return to;
    };
    const heading = /^(#{1,4}) (.+)$/.exec(line);
    if (line.trim() === '') {
      at++;
    } else if (line.startsWith('```')) {
      const to = end(at + 1, next => !next.startsWith('```'));
      out.push(html`<pre tabindex="0"><code>${lines.slice(at + 1, to).join('\n')}</code></pre>`);
      at = to + 1;
    } else if (heading) {
      const Level = `h${heading[1].length}`;
      out.push(html`<${Level} id=${anchor(heading[2])}>${inline(heading[2], address)}<//>`);
      at++;
    } else if (line.startsWith('|')) {
      const to = end(at, next => next.startsWith('|'));
      out.push(table(lines.slice(at, to), address));
      at = to;
    } else if (/^(-|\d+\.) /.test(line)) {
      const to = end(at, next => next !== '' && /^(-|\d+\.) |^ +/.test(next));
      out.push(list(lines.slice(at, to), address));
      at = to;
    } else {
      const to = end(at + 1, next => next !== '' && !/^(```|#|\||- )/.test(next));
      out.push(html`<p>${inline(lines.slice(at, to).join(' '), address)}</p>`);
      at = to;
    }
  }
  return out;
}

function list(lines, address) {
  const items = [];
  for (const line of lines) {
    if (/^(-|\d+\.) /.test(line)) {
      items.push(line.replace(/^(-|\d+\.) /, ''));
    } else {
      items[items.length - 1] += ' ' + line.trim();
    }
  }
  const Kind = lines[0].startsWith('-') ? 'ul' : 'ol';
  return html`<${Kind}>${items.map(item => html`<li>${inline(item, address)}</li>`)}<//>`;
}

function table(lines, address) {
  const cells = line => line.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'));
  const [head, , ...rows] = lines.map(cells);
  return html`
    <div class="table-frame" tabindex="0" role="group" aria-label="Table"><table class="plain">
      <thead><tr>${head.map(cell => html`<th scope="col">${inline(cell, address)}</th>`)}</tr></thead>
      <tbody>${rows.map(row => html`<tr>${row.map(cell => html`<td>${inline(cell, address)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

function inline(text, address) {
  const out = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    out.push(text.slice(at, found.index));
    const [, code, bold, emphasis, picture, label, target, url] = found;
    if (code !== undefined) {
      out.push(html`<code>${code}</code>`);
    } else if (bold !== undefined) {
      out.push(html`<strong>${inline(bold, address)}</strong>`);
    } else if (emphasis !== undefined) {
      out.push(html`<em>${inline(emphasis, address)}</em>`);
    } else if (picture !== undefined) {
      out.push(html`<em>${picture}</em>`);
    } else if (url !== undefined) {
      out.push(html`<a href=${url}>${url}</a>`);
    } else {
      const to = address(target);
      out.push(to ? html`<a href=${to}>${inline(label, address)}</a>` : inline(label, address));
    }
    at = found.index + found[0].length;
  }
  return [...out, text.slice(at)];
}
