// What pages tell other hosts by the queries of what they ask them for, such as pictures.

import { LOOKS } from './visit.mjs';
import { cut } from './snapshot.mjs';

// A bound; `walked.py` has the same.
const QUERIES = 60;
// Whose requests are looked at as a whole, or speak a language of their own.
const OTHERWISE = new Set([...LOOKS, 'script', 'xhr', 'fetch', 'websocket']);

/** Without what differs from time to time: long numbers, and long words, of which the length is told. */
const varying = (text) =>
  cut(text.replace(/^[\d.]{10,}$/, '~').replace(/^[\w-]{16,}$/, (word) => `~${word.length}`));

/** Hosts, and names and values of the queries of requests that were refused. */
export function queriesOf(refused) {
  const found = new Map();
  for (const { url, kind } of refused) {
    const { host, searchParams } = !OTHERWISE.has(kind) && URL.canParse(url) ? new URL(url) : {};
    for (const pair of host ? searchParams : []) {
      const query = [cut(host), ...pair.map(varying)];
      found.set(query.join('\n'), query);
    }
  }
  return [...found.values()].slice(0, QUERIES);
}
