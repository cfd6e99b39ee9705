// Walks through an application like a visitor who follows links, presses buttons and fills forms.
//
// The way is found on the base. The same steps are then taken elsewhere, each element found again by
// role and name. Clicks and keys are the browser's own, which a page cannot tell from a visitor's.

import { Chance, Known, choose } from './choice.mjs';
import { take } from './step.mjs';

// Numbers of walks, of steps in each, of addresses that a fresh profile opens, and of routes that
// are opened while the back end fails.
const WALKS = 3;
const STEPS = 8;
const PROBES = 6;
const TROUBLES = 2;

/**
 * Find a way through the base: walks of steps, and what was seen after each.
 *
 * All walks take their nth steps at the same time, and choose one after the other, so that the
 * same key gives the same way.
 *
 * @param key what chance is drawn from
 * @param routes paths to start at
 * @param open a function that opens a visit in a profile of its own; its argument tells how the
 *   back end behaves: `{trouble: null}`, or a number that chooses what fails
 * @param fills what the instance enters, `[selector, value]`: forms that have such fields get it
 */
export async function findWalks({ key, routes, open, fills }) {
  const chance = new Chance(key, 'walk');
  const known = new Known();
  const starts = chance.shuffled(routes);
  const walks = [];
  for (let number = 0; number < WALKS; number += 1) {
    const first = { kind: 'open', path: starts[number % starts.length] };
    known.paths.add(first.path);
    walks.push({ trouble: null, steps: [first], seen: [] });
  }
  const visits = await Promise.all(walks.map((walk) => open(walk)));
  const actions = [];
  for (let number = 0; number < STEPS; number += 1) {
    const results = await Promise.all(
      walks.map((walk, at) => take(visits[at], walk.steps[number])),
    );
    for (const [at, { told, seen }] of results.entries()) {
      walks[at].seen.push(told);
      learn(known, told, seen, actions[at]);
      const declared = seen && (await visits[at].declared(fills));
      const next = seen && choose({ ...seen, declared }, told.path, known, chance);
      actions[at] = next?.action;
      if (number + 1 < STEPS) {
        walks[at].steps.push(next?.step ?? { kind: 'open', path: chance.one(routes) });
      }
    }
  }
  await Promise.all(visits.map((visit) => visit.close()));
  const more = [
    { trouble: null, steps: probes(known, routes, chance) },
    {
      trouble: chance.below(2 ** 32),
      steps: starts.slice(0, TROUBLES).map((path) => ({ kind: 'open', path })),
    },
  ];
  const rest = await Promise.all(more.map((walk) => replay(walk, open)));
  return [...walks, ...more.map((walk, at) => ({ ...walk, seen: rest[at] }))];
}

/** Addresses to open directly, in a profile that has done nothing: linked ones, and unknown ones. */
function probes(known, routes, chance) {
  const linked = [...known.linked].filter((path) => !routes.includes(path)).sort();
  const chosen = chance.shuffled(linked).slice(0, PROBES - 3);
  const deep = [...new Set([...linked, ...routes].map((path) => path.split(/[?#]/)[0]))]
    .filter((path) => path.split('/').length > 2)
    .map((path) => path.replace(/[^/]*$/, ''))
    .sort();
  const unknown = chance.shuffled([...new Set(deep)]).slice(0, 2).concat('/');
  return [...chosen, ...unknown.map((path) => path + chance.word(9))].map((path) => ({
    kind: 'open',
    path,
  }));
}

function learn(known, told, seen, action) {
  const sent = told.calls.some((call) => call.method !== 'GET');
  if (action?.whole && !sent && known.paths.has(told.path)) {
    known.again(action);
  }
  known.paths.add(told.path);
  for (const { target } of seen?.actions ?? []) {
    if (target.path) {
      known.linked.add(target.path);
    }
  }
}

/** Take the steps of walks that were found; of each, what was seen after each step. */
export function takeWalks(walks, open) {
  return Promise.all(walks.map((walk) => replay(walk, open).catch(() => [])));
}

async function replay(walk, open) {
  const visit = await open(walk);
  const seen = [];
  try {
    for (const [number, step] of walk.steps.entries()) {
      const [before, own] = [walk.seen?.[number - 1], seen.at(-1)];
      if (before?.done && own && own.path !== before.path) {
        // One step that went elsewhere, or could not be taken, costs that step only.
        await visit.load(before.path).catch(() => {});
      }
      seen.push((await take(visit, step)).told);
    }
  } finally {
    await visit.close();
  }
  return seen;
}
