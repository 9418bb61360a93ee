// JSON as text. JSON.parse would turn 84.50 into 84.5 and lose digits of long numbers, but a payload must be shown as it
// is stored.

const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;

function* tokens(text) {
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    yield { text: found[1], end: pattern.lastIndex };
  }
}

/** The members of an object, each value as its original text. */
export function members(text) {
  const found = {};
  let depth = 0;
  let name = null;
  let start = 0;
  for (const token of tokens(text)) {
    if (depth === 1 && (token.text === ',' || token.text === '}') && name !== null) {
      found[name] = text.slice(start, token.end - 1).trim();
      name = null;
    } else if (depth === 1 && token.text === ':') {
      start = token.end;
    } else if (depth === 1 && name === null && token.text.startsWith('"')) {
      name = JSON.parse(token.text);
    }
    depth += '{['.includes(token.text) ? 1 : ']}'.includes(token.text) ? -1 : 0;
  }
  return found;
}

/** The same JSON with line breaks and indentation. */
export function indented(text) {
  let out = '';
  let depth = 0;
  let before = '';
  const line = () => '\n' + '  '.repeat(depth);
  for (const { text: token } of tokens(text)) {
    const closes = token === '}' || token === ']';
    if (closes) {
      depth--;
    }
    const opened = before === '{' || before === '[';
    if (closes ? !opened : opened || before === ',') {
      out += line();
    } else if (before === ':') {
      out += ' ';
    }
    out += token;
    if (token === '{' || token === '[') {
      depth++;
    }
    before = token;
  }
  return out;
}

/** The error in a JSON text, or null if it is valid. */
export function mistake(text) {
  try {
    JSON.parse(text);
    return null;
  } catch (e) {
    return e.message;
  }
}
