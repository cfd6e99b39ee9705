// Small helpers, and the bounds on what a page may make of them.

import { createHash } from 'node:crypto';

/** A page of another site. */
export const ELSEWHERE = 'https://elsewhere.example/';

/** SHA-256, in hexadecimal digits. */
export const digest = (content) => createHash('sha256').update(content).digest('hex');

export class NoAnswer extends Error {}

/** The promise's value, or NoAnswer when it takes too long: a hostile page may never answer. */
export function within(promise, ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms} ms`)), ms);
  });
  promise.catch(() => {});
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What an event of a session of the browser's protocol tells next, or NoAnswer. */
export function once(cdp, event, ms) {
  return within(new Promise((done) => cdp.once(event, done)), ms);
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// What a busy machine is late to show or to have is waited for, each time longer.
export const LATE_MS = 100;

/** Is it so, sooner or later? It is asked so often, at most. */
export async function inTime(isSo, most) {
  for (let tries = 1; !(await isSo()); tries += 1) {
    if (tries === most) {
      return false;
    }
    await pause(tries * LATE_MS);
  }
  return true;
}

/** Text of at most so many characters, whatever it was. */
export const cut = (text, length) => String(text).slice(0, length);

/** Append, unless the list is long enough. */
export function note(list, entry, most) {
  if (list.length < most) {
    list.push(entry);
  }
}

/** Lets one at a time do something. */
class Turn {
  last = Promise.resolve();

  during(act) {
    const own = this.last.then(act);
    this.last = own.catch(() => {});
    return own;
  }
}

/** A browser has one clipboard, whatever its windows. */
export const clipboard = new Turn();
