// What there is to see on a page: where its texts stand, and how its elements look.

import { createHash } from 'node:crypto';

import { cut } from './common.mjs';

// What an element looks like beside its place and size: what the browser's own style sheet leaves
// alike, for the most part.
const STYLES = [
  ...['color', 'background-color', 'background-image', 'font-family', 'font-size', 'font-weight'],
  ...['letter-spacing', 'line-height', 'text-transform', 'cursor', 'position', 'max-width'],
  ...['padding-top', 'padding-left', 'border-top-width', 'border-top-color', 'box-shadow'],
  ...['border-top-left-radius', 'display', 'flex-direction', 'justify-content', 'align-items'],
  ...['row-gap', 'column-gap'],
];
const LOOKS = 500;

/** Runs `DOMSnapshot.captureSnapshot` so that the functions below can read it. */
export const SNAPSHOT = { computedStyles: STYLES, includePaintOrder: false, includeDOMRects: false };

// Fields that people type into or choose from: boxes to tick are often drawn by something else.
const DRAWN = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const UNDRAWN = new Set(['hidden', 'checkbox', 'radio', 'file', 'range', 'color', 'submit', 'button']);
UNDRAWN.add('reset').add('image');

/** Every field that has a place, by what its code calls it, and its box as of texts. */
export function fieldsOf({ documents, strings }, bounds, ratio) {
  const { nodes, layout } = documents[0];
  const found = [];
  layout.nodeIndex.forEach((node, at) => {
    const tag = strings[nodes.nodeName[node]];
    if (!DRAWN.has(tag)) {
      return;
    }
    const told = (nodes.attributes[node] ?? []).map((index) => strings[index]);
    const named = (name) => told[told.findIndex((each, i) => i % 2 === 0 && each === name) + 1];
    const has = (name) => told.some((each, i) => i % 2 === 0 && each === name);
    if (has('type') && UNDRAWN.has(named('type').toLowerCase())) {
      return;
    }
    const own = ['formcontrolname', 'name', 'id', 'placeholder'].filter(has).map(named)[0] ?? '';
    if (found.length < bounds.nodes) {
      const name = cut(`${tag.toLowerCase()} ${own}`.trim(), bounds.message);
      found.push([name, ...layout.bounds[at].map((each) => Math.round(each * ratio))]);
    }
  });
  return found;
}

/**
 * Every text that has a place, and its box: left, top, width and height in pixels of a picture.
 *
 * @param ratio how many of them are one CSS pixel
 */
export function textsOf({ documents, strings }, bounds, ratio) {
  const { layout } = documents[0];
  const found = [];
  layout.text.forEach((index, at) => {
    const text = index < 0 ? '' : strings[index].replace(/\s+/g, ' ').trim();
    if (text && found.length < bounds.nodes) {
      const box = layout.bounds[at].map((each) => Math.round(each * ratio));
      found.push([cut(text, bounds.message), ...box]);
    }
  });
  return found;
}

/** The different looks of elements, each as a digest. */
export function looksOf({ documents, strings }) {
  const { nodes, layout } = documents[0];
  const found = new Set();
  layout.nodeIndex.forEach((node, at) => {
    const styles = layout.styles[at];
    if (styles.length && nodes.nodeType[node] === 1 && found.size < LOOKS) {
      const told = styles.map((index) => strings[index]).join('|');
      found.add(createHash('sha256').update(told).digest('hex').slice(0, 16));
    }
  });
  return [...found].sort();
}
