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

/** Every text that has a place, and its box: left, top, width and height in CSS pixels. */
export function textsOf({ documents, strings }, bounds) {
  const { layout } = documents[0];
  const found = [];
  layout.text.forEach((index, at) => {
    const text = index < 0 ? '' : strings[index].replace(/\s+/g, ' ').trim();
    if (text && found.length < bounds.nodes) {
      found.push([cut(text, bounds.message), ...layout.bounds[at].map(Math.round)]);
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
