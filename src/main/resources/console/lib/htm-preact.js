// What the modules of the console use of Preact. Each text that a page shows goes through html, so it shows hidden characters here, once for all
// pages. The values of fields remain as they are.
import { html as plain } from './standalone.module.js';
import { HIDDEN, HIDDEN_OR_BREAK, parts, shown } from '../js/characters.js';

export * from './standalone.module.js';

/** Attributes that people read. */
const LABELS = ['title', 'aria-label', 'placeholder', 'label'];

/** Where the values of each template stand: in an attribute for people, in another attribute or a property of a component, or in the text. */
const places = new WeakMap();

function placesOf(strings) {
  let found = places.get(strings);
  if (!found) {
    let tag = '';
    found = strings.map(string => {
      const [begin, end] = [string.lastIndexOf('<'), string.lastIndexOf('>')];
      if (begin > end) {
        tag = begin === string.length - 1 ? 'component' : 'element';
      } else if (end >= 0) {
        tag = '';
      }
      return tag === '' ? 'text' : tag === 'element' && LABELS.includes(/([\w-]+)=$/.exec(string)?.[1]) ? 'label' : 'property';
    });
    places.set(strings, found);
  }
  return found;
}

function inText(value) {
  return typeof value === 'string' ? parts(value, HIDDEN, mark) : Array.isArray(value) ? value.map(inText) : value;
}

/** A hidden character, which is copied as it is. */
function mark(shownAs, character) {
  return plain`<span class="hidden-character" data-character=${character}>${shownAs}</span>`;
}

/** A name for one line: line breaks and tabs in it are shown too. */
export function onLine(text) {
  return parts(text, HIDDEN_OR_BREAK, mark);
}

export function html(strings, ...values) {
  const where = placesOf(strings);
  return plain(strings, ...values.map((value, i) => (where[i] === 'text' ? inText(value) : where[i] === 'label' && typeof value === 'string' ? shown(value) : value)));
}
