// Style sheets as browsers read them that lack some of what Chromium has: each name that they do not know becomes
// one that nobody knows, so that the browser itself does with it what they do. `engines.json` has the names.

import { createHash } from 'node:crypto';

// What names styles are made of here: comments, texts and addresses as a whole, and names with their escapes.
const TOKEN = new RegExp(
  [
    ...['/\\*[\\s\\S]*?(?:\\*/|$)', '"(?:[^"\\\\]|\\\\[\\s\\S])*"?', "'(?:[^'\\\\]|\\\\[\\s\\S])*'?"],
    ...['url\\(\\s*[^"\'\\s)][^)]*(?:\\)|$)', '@?(?:[\\w-]|[^\\0-\\x7f]|\\\\[0-9a-f]{1,6}\\s?|\\\\[^\\n])+\\(?', '::?', '\\s+', '[\\s\\S]'],
  ].join('|'),
  'giu',
);

/**
 * How style sheets are read where some names are not known. Runs in the page as well, so that it needs nothing
 * beside it.
 *
 * @param source of `TOKEN`
 * @param lists of what is missing: `at`, `selectors`, `properties` and `functions`, and `values` by their property
 * @returns what makes such a style sheet of another
 */
function readerOf(source, lists) {
  const token = new RegExp(source, 'giu');
  const listed = (kind) => new Set(lists.flatMap((each) => each[kind].split(' ')));
  const [at, selectors, properties, functions] = ['at', 'selectors', 'properties', 'functions'].map(listed);
  const values = (property) => lists.flatMap((each) => (Object.hasOwn(each.values, property) ? each.values[property].split(' ') : []));
  const nameOf = (text) =>
    text
      .replace(/\\([0-9a-f]{1,6})\s?/giu, (_, code) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)))
      .replace(/\\/gu, '')
      .toLowerCase();
  const [unknown, unknownInside] = ['lacking', '-webkit-lacking'];
  return (css) => {
    /** May a property begin here? Which one was named, what stands before, and what of it is missing? */
    let [begins, property, before, missing] = [true, '', '', []];
    return css.replace(token, (text, place) => {
      if (/^(\s|\/\*)/u.test(text)) {
        return text;
      }
      const previous = before;
      before = text;
      if (/^[{};]$/u.test(text)) {
        [begins, property, missing] = [true, '', []];
        return text;
      }
      const name = nameOf(text.replace(/\($/u, ''));
      const called = text.endsWith('(');
      const rest = () => css.slice(place + text.length, place + text.length + 2_000);
      if (text.startsWith('@')) {
        begins = false;
        return at.has(name.slice(1)) ? `@${unknown}` : text;
      }
      if (previous.startsWith(':') && selectors.has(name) && (previous === '::' || /^[^;{}]*\{/u.test(rest()))) {
        return (name.startsWith('-webkit-') ? unknownInside : unknown) + (called ? '(' : '');
      }
      if (called && functions.has(name)) {
        return `${unknown}(`;
      }
      if (begins && /^\s*:/u.test(rest())) {
        [begins, property, missing] = [false, name, values(name)];
        return properties.has(name) ? unknown : text;
      }
      // A condition (`@supports`) has properties as well.
      begins = text === '(' && !property;
      return missing.includes(name) ? unknown : text;
    });
  };
}

/** Runs in every document, in a world of the harness's own: read what is in the document so. */
function readSheets(read) {
  const mend = (sheet) => {
    const text = sheet.textContent;
    const mended = read(text);
    if (mended !== text) {
      sheet.textContent = mended;
    }
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      const around = [target, target.parentElement].filter((each) => each?.localName === 'style');
      const inside = [...addedNodes].flatMap((each) =>
        each.localName === 'style' ? [each] : [...(each.querySelectorAll?.('style') ?? [])],
      );
      new Set([...around, ...inside]).forEach(mend);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** What makes of a style sheet what a browser reads that lacks what some lists say. */
export const readingWithout = (lists) => readerOf(TOKEN.source, lists);

/** What is run in a document so that such a browser's style sheets are in it. */
export const sheetsWithout = (lists) =>
  `(${readSheets})((${readerOf})(${JSON.stringify(TOKEN.source)}, ${JSON.stringify(lists)}))`;

/** By which digests a page may say which file it wants (W3C, Subresource Integrity, 3.2). */
const digestsOf = (body) =>
  ['sha256', 'sha384', 'sha512'].map((name) => `${name}-${createHash(name).update(body).digest('base64')}`);

/**
 * An answer as such a browser reads it: style sheets, and documents that want files by the digests of these.
 *
 * @param read null for a browser that reads all of it
 * @param sheets gives the application's style sheets
 */
export function readBy(read, answer, sheets) {
  const kind = read && /^text\/(css|html)\b/.exec(answer.contentType ?? '')?.[1];
  if (!kind) {
    return answer;
  }
  const text = new TextDecoder().decode(Buffer.from(answer.body));
  if (kind === 'css') {
    return { ...answer, body: read(text) };
  }
  if (!/\bintegrity\b/i.test(text)) {
    return answer;
  }
  const body = sheets().reduce((page, sheet) => {
    const now = digestsOf(read(new TextDecoder().decode(sheet)));
    return digestsOf(sheet).reduce((found, digest, at) => found.replaceAll(digest, now[at]), page);
  }, text);
  return { ...answer, body };
}
