// Pages opened while the back end fails, or answers in another shape: found on the base, as far as it shows
// something then.

import { FAILURES } from './backend.mjs';
import { isMain, withoutQuery } from './turns.mjs';

// So long, at most, the base has to render something then, in real time: there may be nothing to wait for. After so
// many pages that show nothing, no more are opened.
const RENDER_MS = 10_000;
const BLANKS = 3;
// How many pages are opened in each shape.
const SHAPES = { empty: 1, sparse: 2, nothing: 1, error: 1 };
// While lists are long, so many are opened on the base, and those that show most then are taken.
const LOOKED_AT = 5;
const MANY = 2;
// So many pages are opened while answers fail, two of them at a time; so often, one of them does not.
const FAILING = 4;
const FINE = 1;
const TURNS = 60_060;
/** What is tried where the base breaks. */
const MILDER = { many: 'plenty' };
const LONG = new Set(['many', 'plenty']);
// How the browser begins to tell what it could not load; `errors.py` has the same.
const MISSING = 'Failed to load resource';

/** Steps that open pages while answers fail: each status comes once at most. */
export function failing(pages, chance) {
  const statuses = chance.shuffled(FAILURES).slice(0, 2 * FAILING - FINE);
  const cards = chance.shuffled([...statuses, ...Array.from({ length: FINE }, () => null)]);
  const order = chance.shuffled(pages);
  return Array.from({ length: FAILING }, (_, at) => {
    return { kind: 'open', path: order[at % order.length], statuses: cards.slice(2 * at, 2 * at + 2) };
  });
}

/** Steps that open pages while answers have another shape. */
export function otherwise(pages, chance) {
  const kinds = Object.entries({ many: LOOKED_AT, ...SHAPES });
  const step = (kind) => (path) => ({ kind: 'open', path, shape: { kind, turn: chance.below(TURNS) } });
  return kinds.flatMap(([kind, most]) => chance.shuffled(pages).slice(0, most).map(step(kind)));
}

/** Of pages that were opened while lists are long, those that show most; and all others. */
function fullest(steps, seen) {
  const long = [...steps.keys()].filter((at) => LONG.has(steps[at].shape?.kind));
  const few = long.sort((one, other) => seen[other].things.length - seen[one].things.length).slice(MANY);
  const is = (_, at) => !few.includes(at);
  return { steps: steps.filter(is), seen: seen.filter(is) };
}

/** Pages that are opened so: where walks begin, and main ones that links lead to. */
export function pagesOf(routes, linked) {
  const main = linked.filter((path) => isMain(path) && path === withoutQuery(path));
  return [...new Set([...routes, ...main])];
}

/** Has a page come to something, and without an error of the application's own? */
export function works({ done, settled, errors }) {
  return done && settled && errors.every((each) => each.startsWith(MISSING));
}

/**
 * Open pages so, on the base: those steps that it takes, with what was seen. Where it breaks, an honest migration may
 * break in another way.
 *
 * @param walk its `steps` are what to try
 * @param open opens a visit
 * @param go takes a step of a visit, and adds what was seen to a list
 */
export async function tried(walk, open, go) {
  const visit = await open({ ...walk, render_ms: RENDER_MS });
  const [steps, seen] = [[], []];
  let blanks = 0;
  const taken = async (step) => {
    await go(visit, step, seen);
    const told = seen.at(-1);
    blanks += Number(!told.done);
    const is = step.statuses ? told.done : works(told);
    if (is) {
      steps.push(step);
    } else {
      seen.pop();
    }
    return is;
  };
  try {
    for (const step of walk.steps) {
      if (blanks >= BLANKS) {
        break;
      }
      const milder = MILDER[step.shape?.kind];
      if (!(await taken(step)) && milder) {
        await taken({ ...step, shape: { ...step.shape, kind: milder } });
      }
    }
  } finally {
    await visit.close();
  }
  return { ...walk, ...fullest(steps, seen) };
}
