// The frame around all pages: the sign-in, the navigation, the verdict, shortcuts.
import { html, render, useEffect, useState } from '../lib/htm-preact.js';
import { Problem, connection, endSession, get, me, signIn, signOut, tokenWanted, whoAmI } from './api.js';
import { Dialogs, Toasts } from './ask.js';
import { copyOriginals } from './characters.js';
import { count, duration, moment } from './format.js';
import { BackHome, Elsewhere, OutboxChoice } from './outboxes.js';
import { Failure, Shape, State } from './parts.js';
import { useNow, usePoll } from './poll.js';
import { nameForAudit, preferences } from './preferences.js';
import { go, href, outbox, useLocation } from './router.js';
import { Shortcuts, help } from './shortcuts.js';
import { store, useStore } from './store.js';
import { Audit } from './pages/audit.js';
import { DeadLetter } from './pages/dead-letter.js';
import { DeadLetters } from './pages/dead-letters.js';
import { Discarded } from './pages/discarded.js';
import { Find } from './pages/find.js';
import { Help } from './pages/help.js';
import { Intake } from './pages/intake.js';
import { Jobs } from './pages/jobs.js';
import { Message } from './pages/message.js';
import { Messages } from './pages/messages.js';
import { Overview } from './pages/overview.js';
import { Partitions } from './pages/partitions.js';
import { Relays } from './pages/relays.js';
import { Retries } from './pages/retries.js';
import { Retry } from './pages/retry.js';
import { Routes } from './pages/routes.js';
import { Subscription } from './pages/subscription.js';
import { Why } from './pages/why.js';

const PAGES = [
  [/^\/$/, Overview],
  [/^\/subscriptions\/([^/]+)$/, Subscription, 'name'],
  [/^\/intakes\/([^/]+)$/, Intake, 'name'],
  [/^\/dead-letters$/, DeadLetters],
  [/^\/dead-letters\/discarded$/, Discarded],
  [/^\/dead-letters\/([^/]+)\/(\d+)$/, DeadLetter, 'subscription', 'id'],
  [/^\/retries$/, Retries],
  [/^\/retries\/([^/]+)\/(\d+)$/, Retry, 'subscription', 'id'],
  [/^\/find$/, Find],
  [/^\/messages$/, Messages],
  [/^\/messages\/(\d+)$/, Message, 'id'],
  [/^\/why\/(.+)$/, Why, 'subject'],
  [/^\/relays$/, Relays],
  [/^\/partitions$/, Partitions],
  [/^\/routes$/, Routes],
  [/^\/audit$/, Audit],
  [/^\/jobs$/, Jobs],
  [/^\/help(?:\/(.+))?$/, Help, 'name'],
];

const NAVIGATION = [
  ['/', 'Overview'],
  ['/routes', 'Routes'],
  ['/dead-letters', 'Dead letters', overview => sum([...overview.subscriptions, ...overview.intakes], 'deadLetters')],
  ['/retries', 'Retries', overview => sum(overview.subscriptions, 'waiting', 'blocked')],
  ['/messages', 'Messages'],
  ['/relays', 'Relays'],
  ['/partitions', 'Partitions'],
  ['/audit', 'Audit'],
  ['/jobs', 'Jobs'],
  ['/help', 'Help'],
].filter(([path]) => outbox === null || path !== '/routes'); // the routes of another outbox belong to other relays

const theme = store(localStorage.getItem('caravan.theme') ?? 'auto');

function App() {
  const who = useStore(me);
  const wanted = useStore(tokenWanted);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let timer;
    const connect = () => whoAmI().then(() => setProblem(null), refused => {
      setProblem(refused.status === 401 ? null : refused);
      if (refused.status !== 401) {
        timer = setTimeout(connect, 3000);
      }
    });
    connect();
    return () => clearTimeout(timer);
  }, []);
  if (who) {
    return html`<${Frame} who=${who} />`;
  }
  return html`
    <main class="sign-in" id="content">
      <h1>Caravan</h1>
      ${wanted ? html`<${SignInForm} refused=${wanted.refused} page=${wanted.signIn} />` : problem ? html`<${Failure} problem=${problem} /><${BackHome} />` : html`<p class="quiet">Connecting …</p>`}
    </main>`;
}

function SignInForm({ refused, page }) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState(refused ? new Problem(401, 'Refused', 'The relay does not accept this token.') : null);
  async function enter(event) {
    event.preventDefault();
    setProblem(null);
    try {
      await signIn(token.trim());
    } catch (refusal) {
      setProblem(refusal.status === 401 ? new Problem(401, 'Refused', 'The relay does not accept this token.') : refusal);
    }
  }
  return html`
    ${page && html`
      <p class="panel"><a class="button primary" href=${`${page}?to=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</a></p>`}
    <form onSubmit=${enter} class="panel">
      <label class="field">
        <span>Token of the relay</span>
        <input type="password" name="token" autocomplete="current-password" required autofocus=${!page} value=${token} onInput=${event => setToken(event.target.value)} />
        <small>The token in the setting caravan.management.token, or in caravan.management.readToken for read access. It is stored until this tab is closed.</small>
      </label>
      ${problem && html`<${Failure} problem=${problem} />`}
      <button class=${page ? '' : 'primary'}>${page ? 'Use the token' : 'Sign in'}</button>
    </form>`;
}

function Frame({ who }) {
  const here = useLocation();
  useStore(preferences); // so that all times are rendered again
  const overview = usePoll(signal => get('overview', {}, signal), 3, []);
  const outboxes = usePoll(signal => get('outboxes', {}, signal).then(answer => answer.items), rows => (rows.length > 1 ? 5 : 30), []);
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [here]);
  const [Shown, parameters] = page(here.path);
  return html`
    <a class="skip" href="#content">Skip to content</a>
    <header class="top">
      <button class="menu" aria-expanded=${String(open)} aria-controls="navigation" onClick=${() => setOpen(!open)}>Menu</button>
      <a class="brand" href=${href('/')}>Caravan</a>
      <${OutboxChoice} rows=${outboxes.data ?? []} path=${here.path} />
      <${Verdict} overview=${overview.problem ? undefined : overview.data} />
      <${Search} />
      <button class="quiet-button" aria-label="Keyboard shortcuts" onClick=${() => help.set(true)}>?</button>
    </header>
    <${Elsewhere} relay=${who.relay} rows=${outboxes.data ?? []} />
    <${NoAnswer} by=${who.runsRoutes ? 'relay' : 'console'} />
    <${NoDatabase} overview=${overview} />
    <div class="body">
      <nav id="navigation" class=${open ? 'open' : ''} aria-label="Pages">
        <ul>
          ${NAVIGATION.map(([path, title, number]) => html`
            <li key=${path}><a href=${href(path)} aria-current=${isHere(path, here.path) ? 'page' : undefined}>
              ${title}${number && overview.data && html`<span class="number">${number(overview.data)}</span>`}
            </a></li>`)}
        </ul>
        <${Settings} who=${who} />
      </nav>
      <main id="content" tabindex="-1">
        ${Shown
          ? html`<${Shown} key=${here.path} ...${parameters} query=${here.query} overview=${overview} outboxes=${outboxes.data ?? []} />`
          : html`<h1>Page not found</h1><p><a href=${href('/')}>Go to the overview</a></p>`}
      </main>
    </div>
    <${Dialogs} />
    <${Toasts} />
    <${Shortcuts} />`;
}

function page(path) {
  for (const [pattern, Shown, ...names] of PAGES) {
    const found = pattern.exec(path);
    if (found) {
      return [Shown, Object.fromEntries(names.map((name, i) => [name, colons(found[i + 1])]))];
    }
  }
  return [null, {}];
}

/** Some programs encode the colon of intake:shop when they pass on an address. */
function colons(parameter) {
  return parameter?.replace(/%3A/gi, ':');
}

function isHere(path, here) {
  return path === '/' ? here === '/' || here.startsWith('/subscriptions') || here.startsWith('/intakes') : here === path || here.startsWith(path + '/');
}

function sum(all, ...fields) {
  const counts = all.flatMap(each => fields.map(field => each[field]));
  return count({ atLeast: counts.reduce((total, each) => total + each.atLeast, 0), more: counts.some(each => each.more) });
}

/** The text contains seconds and changes with each response, so screen readers read only the state aloud. */
function Verdict({ overview }) {
  const state = overview?.verdict.state;
  return html`
    <span class="verdict-small">${state && html`<a href=${href('/')}><${State} state=${state} /></a>`}</span>
    <span class="visually-hidden" role="status" aria-live="polite">${state && `Caravan is ${state}`}</span>`;
}

function Search() {
  const [text, setText] = useState('');
  function search(event) {
    event.preventDefault();
    event.target.elements[0].blur(); // so that keyboard shortcuts work again
    const wanted = text.trim();
    if (/^\d+$/.test(wanted)) {
      go(href(`/messages/${wanted}`));
    } else if (wanted) {
      go(href('/find', { text: wanted }));
    }
  }
  return html`
    <form class="search" role="search" onSubmit=${search}>
      <input type="search" aria-label="Search for a key, an id, a message id, or an error text" data-search
          placeholder=${innerWidth < 600 ? 'Key, id or error' : 'Key, id or error  ( / )'} value=${text} onInput=${event => setText(event.target.value)} />
    </form>`;
}

function NoAnswer({ by }) {
  const { answeredAt, failingSince } = useStore(connection);
  const now = useNow(failingSince !== null);
  return html`
    <div role="alert">${failingSince !== null && html`
      <p class="no-answer"><${Shape} kind="critical" />${' '}
        <strong>The ${by} does not answer.</strong>${' '}
        <span aria-live="off">${answeredAt === null ? '' : `No answer for ${duration(Math.round((now - answeredAt) / 1000))}; the data on this page has the same age.`}</span>
      </p>`}
    </div>`;
}

/** The database is unavailable to the relay that serves this page. */
function NoDatabase({ overview }) {
  const since = overview.data?.databaseUnavailableSince;
  const now = useNow(Boolean(since));
  return html`
    <div role="alert">${since && html`
      <p class="no-answer"><${Shape} kind="critical" />${' '}
        <strong>The database is unavailable.</strong>${' '}
        <span aria-live="off">For ${duration(Math.max(0, Math.round((now - Date.parse(since)) / 1000)))}; gray data is from ${moment(overview.data.at)}.</span>${' '}
        <a href=${href('/help/runbooks/database-unavailable')}>What to do</a>
      </p>`}
    </div>`;
}

function Settings({ who }) {
  const chosen = useStore(theme);
  const name = useStore(nameForAudit);
  const [problem, setProblem] = useState(null);
  function choose(event) {
    const value = event.target.value;
    theme.set(value);
    localStorage.setItem('caravan.theme', value);
    document.documentElement.dataset.theme = value;
  }
  return html`
    <div class="settings">
      <p>${who.runsRoutes ? 'Relay' : 'Console'} <b>${who.relay}</b><br />version ${who.version}</p>
      <p>${who.name ? html`You are <b>${who.name}</b><br />role <b>${who.role}</b>` : html`Your role is <b>${who.role}</b>${name && html`<br />recorded as <b>${name}</b> in the audit`}`}</p>
      <label>Colors${' '}
        <select value=${chosen} onChange=${choose}>
          ${['auto', 'light', 'dark'].map(value => html`<option value=${value} selected=${value === chosen}>${value}</option>`)}
        </select>
      </label>
      ${who.via === 'token' && html`<button class="link" onClick=${signOut}>Sign out</button>`}
      ${who.via === 'openid' && html`<button class="link" onClick=${() => endSession().catch(setProblem)}>Sign out</button>`}
      ${problem && html`<${Failure} problem=${problem} />`}
    </div>`;
}

document.addEventListener('copy', copyOriginals);
render(html`<${App} />`, document.getElementById('app'));
