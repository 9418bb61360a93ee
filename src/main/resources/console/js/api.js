// The HTTP API of the relay that served this page, for its outbox or another one of its database.
import { outbox } from './router.js';
import { store } from './store.js';
import { members } from './json.js';

const TOKEN = 'caravan.token';
const TIMEOUT_MILLIS = 10_000;

/** Operations on the relay, regardless of the outbox that is shown. */
const OF_THE_RELAY = ['me', 'outboxes'];

const ROOT = '/api/';
const OF_THE_OUTBOX = outbox === null ? ROOT : `${ROOT}outboxes/${encodeURIComponent(outbox)}/`;

/** The response of /api/me with the role in this outbox, or null while nobody is signed in. */
export const me = store(null);

/** Null if no token is required; otherwise whether the last one was refused, and the page where a person can sign in instead. */
export const tokenWanted = store(null);

/** The time of the last response of the relay, and since when it has not responded. */
export const connection = store({ answeredAt: null, failingSince: null });

/** A failed request. The status is 0 if the relay did not respond. */
export class Problem extends Error {
  constructor(status, title, detail, retryAfter) {
    super(detail || title);
    Object.assign(this, { status, title, detail, retryAfter });
  }
}

export function signIn(token) {
  sessionStorage.setItem(TOKEN, token);
  return whoAmI();
}

/** Ends the session of a person, then goes to the page of the provider that ends it there. */
export async function endSession() {
  const response = await send('POST', '/auth/logout', '{}');
  const written = await response.text();
  if (!response.ok) {
    throw refusal(response, written);
  }
  location.assign(JSON.parse(written).next);
}

export function signOut() {
  sessionStorage.removeItem(TOKEN);
  me.set(null);
  tokenWanted.set({ refused: false });
}

export async function whoAmI() {
  me.set(await get('me', { outbox }));
  tokenWanted.set(null);
}

/** Returns the parsed JSON of the response. Empty parameters are left out. */
export async function get(path, parameters = {}, signal) {
  return JSON.parse(await text('GET', path + query(parameters), undefined, signal));
}

/** Returns the fields of the response as JSON text, so that numbers in a payload lose no digits. */
export async function getWritten(path, parameters) {
  return members(await text('GET', path + query(parameters)));
}

/** The body is JSON text, or an object. */
export async function post(path, body) {
  const answer = await text('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
  return answer === '' ? null : JSON.parse(answer);
}

/**
 * Stores a whole list as a file. Nothing is stored if the response is incomplete. It may take any time.
 *
 * @param progress takes the number of bytes so far
 */
export async function download(path, parameters, signal, progress) {
  const response = await answer('GET', path + query(parameters), undefined, signal, signal);
  if (!response.ok) {
    throw refused(response, await response.text().catch(() => ''));
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(part, next) {
      bytes += part.byteLength;
      progress(bytes);
      next.enqueue(part);
    },
  }));
  const file = await new Response(counted).blob().catch(failure => {
    throw signal.aborted ? failure : new Problem(0, 'Incomplete', 'The relay ended the export early: its log says why. No file was stored.');
  });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition'))?.[1] ?? 'list';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? '' : '?' + new URLSearchParams(given);
}

/** A path of encoded names, which may contain slashes and other reserved characters. */
export function path(strings, ...names) {
  return String.raw({ raw: strings }, ...names.map(encodeURIComponent));
}

async function text(method, address, body, signal) {
  const response = await answer(method, address, body, signal);
  const written = await response.text().catch(() => { throw noAnswer('The response of the relay was incomplete.'); });
  answered();
  if (response.ok) {
    return written;
  }
  throw refused(response, written);
}

/** The problem in a response. Without a valid token the page asks for another one. */
function refused(response, written) {
  if (response.status === 401) {
    const hadToken = sessionStorage.getItem(TOKEN) !== null;
    sessionStorage.removeItem(TOKEN);
    me.set(null);
    const problem = refusal(response, written);
    tokenWanted.set({ refused: hadToken || Boolean(tokenWanted.get()?.refused), signIn: problem.signIn });
    return problem;
  }
  return refusal(response, written);
}

function answer(method, address, body, signal, limit) {
  return send(method, (OF_THE_RELAY.includes(address.split('?')[0]) ? ROOT : OF_THE_OUTBOX) + address, body, signal, limit);
}

async function send(method, address, body, signal, limit = AbortSignal.timeout(TIMEOUT_MILLIS)) {
  const headers = { Accept: 'application/json, application/problem+json' };
  const token = sessionStorage.getItem(TOKEN);
  if (token) {
    headers.Authorization = 'Bearer ' + token;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  try {
    return await fetch(address, {
      method, headers, body, signal: signal ? AbortSignal.any([signal, limit]) : limit, cache: 'no-store',
    });
  } catch (e) {
    if (signal?.aborted) {
      throw e; // the caller no longer waits for it
    }
    throw noAnswer(limit.aborted ? 'The relay did not answer within 10 s.' : 'The relay does not answer.');
  }
}

function answered() {
  connection.set({ answeredAt: Date.now(), failingSince: null });
}

function noAnswer(detail) {
  const { answeredAt, failingSince } = connection.get();
  connection.set({ answeredAt, failingSince: failingSince ?? Date.now() });
  return new Problem(0, 'No answer', detail);
}

function refusal(response, written) {
  const retryAfter = Number(response.headers.get('Retry-After')) || null;
  try {
    const { title, detail, signIn } = JSON.parse(written);
    return Object.assign(new Problem(response.status, title, detail, retryAfter), { signIn });
  } catch {
    return new Problem(response.status, `The relay answered ${response.status}`, '', retryAfter);
  }
}
