// Characters that are not shown, or that change how the characters around them are shown: a text with them can look like another text. The
// command line has the same rule, in HiddenCharacters.java; a test compares both.

export const HIDDEN = /\r(?!\n)|[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{13430}-\u{13455}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** Also line breaks and tabs, for a name on one line. */
export const HIDDEN_OR_BREAK = new RegExp(`[\\t\\n\\r]|${HIDDEN.source}`, 'gu');

function nameOf(character) {
  return `␣U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The text with ␣U+202E instead of each of these characters. */
export function shown(text, hidden = HIDDEN) {
  return text.replace(hidden, nameOf);
}

/** The text in parts, with the result of mark(␣U+202E, the character) for each of these characters; the text itself if it has none. */
export function parts(text, hidden, mark) {
  if (text.search(hidden) < 0) {
    return text;
  }
  const found = [];
  let at = 0;
  for (const { 0: character, index } of text.matchAll(hidden)) {
    found.push(text.slice(at, index), mark(nameOf(character), character));
    at = index + character.length;
  }
  return [...found, text.slice(at)];
}

/** Puts the original characters into what a person copies from the page. */
export function copyOriginals(event) {
  const selection = getSelection();
  const marks = [...document.querySelectorAll('.hidden-character')].filter(each => selection.containsNode(each, true));
  if (marks.length > 0) {
    const texts = marks.map(each => each.firstChild);
    const before = texts.map(text => text.data);
    texts.forEach((text, i) => { text.data = marks[i].dataset.character; });
    event.clipboardData.setData('text/plain', selection.toString());
    texts.forEach((text, i) => { text.data = before[i]; });
    event.preventDefault();
  }
}
