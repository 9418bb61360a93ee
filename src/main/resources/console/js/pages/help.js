import { html, useEffect } from '../../lib/htm-preact.js';
import { Markdown } from '../markdown.js';
import { Failure, Page } from '../parts.js';
import { Problem } from '../api.js';
import { usePoll } from '../poll.js';
import { href } from '../router.js';

/** The first page of the documentation, which is that of the version of this relay. */
const START = 'console';

export function Help({ name = START }) {
  const poll = usePoll(signal => page(name, signal), 0, [name]);
  useEffect(() => {
    if (poll.data && location.hash) {
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    }
  }, [poll.data]);
  const [, title, text] = /^# (.+)\n([^]*)$/.exec(poll.data ?? '') ?? [null, 'Help', ''];
  return html`
    <${Page} title=${title} parent=${name === START ? undefined : { title: 'Help', path: '/help' }}>
      ${poll.problem && html`<${Failure} problem=${poll.problem} />`}
      <article class="panel prose"><${Markdown} text=${text} address=${target => address(name, target)} /></article>
    <//>`;
}

async function page(name, signal) {
  const response = await fetch(`/console/docs/${name}.md`, { signal });
  const text = await response.text();
  if (!response.ok || text.startsWith('<!doctype')) { // for a file that does not exist, the server returns the index page of the console
    throw new Problem(404, 'Page not found', name);
  }
  return text;
}

/** Links between pages work in the console too; links to files that are not part of it are shown as text. */
function address(from, target) {
  if (/^https?:/.test(target)) {
    return target;
  }
  const [file, hash] = target.split('#');
  if (file === '') {
    return `#${hash}`;
  }
  const to = new URL(file, `https://docs/docs/${from === 'README' ? '../' : ''}${from}`).pathname.replace(/^\/(docs\/)?/, '');
  return to.endsWith('.md') ? href(`/help/${to.slice(0, -3)}`) + (hash ? `#${hash}` : '') : null;
}
