// Walks through an application like a visitor who follows links, presses buttons and fills forms.
//
// The way is found on the base. The same steps are then taken elsewhere, each element found again by
// role and name. Clicks and keys are the browser's own, which a page cannot tell from a visitor's.

import { Chance } from './chance.mjs';
import { Known, choose, offered, untriedOf } from './choice.mjs';
import { withoutCovered } from './covered.mjs';
import { fillAgain } from './forms.mjs';
import { Listened } from './listened.mjs';
import { PICTURED_IN } from './media.mjs';
import { failing, otherwise, pagesOf, tried } from './shaped.mjs';
import { take } from './step.mjs';
import { Turns, WALKERS, changes, onTour, samePage, windowOf, withoutQuery } from './turns.mjs';

// Numbers of steps of each walk, and of addresses that a fresh profile opens.
const STEPS = 11;
const PROBES = 6;
// So many things, at most, are tried from each of these that no walk has tried.
const TRIES = 4;
// So many routes are opened while the back end never answers.
const SILENCES = 2;
// So many walks are taken at a time: of more pages, frames are late.
const AT_A_TIME = 6;
// How many pages are pictured that no declared route leads to.
const PICTURES = 6;

/**
 * Find a way through the base: walks of steps, and what was seen after each.
 *
 * All walks take their nth steps at the same time, and choose one after the other, so that the
 * same key gives the same way.
 *
 * @param key what chance is drawn from
 * @param routes paths to start at
 * @param open a function that opens a visit in a profile of its own; its argument tells how the
 *   back end behaves: see `Walked`
 * @param fills what the instance enters, `[selector, value]`: forms that have such fields get it
 * @param texts what the back end answers, as text: areas of text may get it
 * @param now what time it is, in milliseconds since 1970
 */
export async function findWalks({ key, routes, open, fills, texts, now }) {
  const chance = new Chance(key, 'walk');
  const pictured = new Set(routes.map(withoutQuery));
  const most = pictured.size + PICTURES;
  const fresh = ({ done, path }) => {
    const is = done && pictured.size < most && !pictured.has(withoutQuery(path));
    if (is) {
      pictured.add(withoutQuery(path));
    }
    return is;
  };
  const known = new Known(texts, now);
  const starts = chance.shuffled(routes);
  const walks = [];
  const ways = chance.shuffled(PICTURED_IN);
  for (let number = 0; number < WALKERS; number += 1) {
    const path = starts[number % starts.length];
    const first = { kind: 'open', path, media: true, keys: true, way: ways[number % ways.length] };
    known.paths.add(first.path);
    walks.push({ number, steps: [first], seen: [] });
  }
  const visits = await Promise.all(walks.map((walk) => openFirst(walk, key, open)));
  const actions = [];
  const turns = new Turns(new Chance(key, 'turns'), WALKERS, STEPS);
  for (let number = 0; number < STEPS; number += 1) {
    const results = await Promise.all(
      walks.map((walk, at) => takeAndPlan(visits[at], walk.steps[number])),
    );
    for (const [at, { told, seen }] of results.entries()) {
      walks[at].seen.push(told);
      turns.after(walks[at], at);
      turns.answer(walks[at], at, visits[at].agreed);
      const step = walks[at].steps[number];
      if (step.way || fresh(told) || turns.again(step, told)) {
        Object.assign(told, await visits[at].pictured(`walk-${at}-${number}`, step.way));
      }
      learn(known, told, seen, actions[at]);
      const declared = seen && (await visits[at].declared(fills));
      const turn = turns.next(walks[at], at, seen?.actions);
      const page = { ...seen, declared };
      const steps = seen ? offered(page, told.path, known, chance) : [];
      // What is chosen counts as tried, and after the last step nothing is.
      const last = number + 1 === STEPS;
      const next = turn || last ? undefined : choose(steps, known, chance);
      actions[at] = next?.action;
      if (!last) {
        const other = next?.step ?? { kind: 'open', path: chance.one(routes) };
        walks[at].steps.push(turn ?? turns.refuse(other, number + 1));
      }
    }
  }
  await Promise.all(visits.map((visit) => visit.close()));
  const kinds = ['phone', chance.one(['portable', 'large'])];
  const windows = chance.shuffled(kinds).map((kind) => windowOf(kind, chance));
  const pages = pagesOf(routes, [...known.linked].sort());
  const silences = starts.slice(-SILENCES).map((path) => ({ kind: 'open', path }));
  const [first, failed, silent, shaped, last] = [
    { viewport: windows[0], steps: [...probes(known, routes, chance), ...turns.leftRefusals()] },
    { steps: failing(pages, chance) },
    { viewport: windows[1], silent: true, steps: silences },
    { steps: otherwise(pages, chance) },
    {},
  ].map((walk, at) => ({ number: WALKERS + at, ...walk }));
  // Pages that are usual no more are not pictured.
  const go = (walk) => (visit, step, seen) => takeOf(walk, visit, step, seen, () => false, takeAndPlan);
  const forms = [...known.forms.values(), ...routes];
  const again = new Chance(key, 'forms');
  // One after the other: of more pages at a time, frames are late.
  const others = async () => [await tried(failed, open, go(failed)), await tried(shaped, open, go(shaped))];
  const [explored, seen, [failures, shapes], filled] = await Promise.all([
    explore(first, { key, known, turns, chance, fills, open, fresh }),
    replay(silent, open, fresh),
    others(),
    fillAgain(last, { known, paths: forms, chance: again, fills, open, go: go(last) }),
  ]);
  return [...walks, explored, failures, { ...silent, seen }, shapes, filled];
}

/**
 * Open the addresses of a walk, and try what no walk has tried on their pages: a few things of each. Where that
 * changes something, links are followed from there.
 */
async function explore(walk, { key, known, turns, chance, fills, open, fresh }) {
  const visit = await openFirst(walk, key, open);
  const [steps, seen] = [[], []];
  const go = (step) => {
    steps.push(step);
    return takeOf(walk, visit, step, seen, fresh, takeAndPlan);
  };
  try {
    for (const step of walk.steps) {
      let page = await go(step);
      let been;
      for (let tries = 0; page && tries < TRIES; tries += 1) {
        const declared = await visit.declared(fills);
        const offers = offered({ ...page, declared }, seen.at(-1).path, known, chance);
        const next = choose(untriedOf(offers), known, chance);
        if (!next) {
          break;
        }
        page = await go(next.step);
        been ??= changes(next.step, ...seen.slice(-2)) ? [seen.at(-1).path] : undefined;
        const narrower = next.step.kind === 'enter' && page && samePage(page.actions, seen.at(-1).path, chance);
        const more = turns.right(next.step, ...seen.slice(-2)) ?? narrower;
        page = more && page ? await go(more) : page;
      }
      while (page && been) {
        const link = onTour(page.actions, been, chance);
        page = link && (await go(link));
      }
    }
  } finally {
    await visit.close();
  }
  return { ...walk, steps, seen };
}

/** Open a visit that finds its way, and what its page listens for. */
async function openFirst(walk, key, open) {
  const visit = await open(walk);
  visit.listened = new Listened(new Chance(key, `hands ${walk.number}`), visit.site);
  return visit;
}

/** Addresses to open directly, in a profile that has done nothing: linked ones, and unknown ones. */
function probes(known, routes, chance) {
  const linked = [...known.linked].filter((path) => !routes.includes(path)).sort();
  // First of all those with something left to try.
  const left = [...new Set([...chance.shuffled(known.left()), ...chance.shuffled(linked)])];
  const chosen = left.slice(0, PROBES - 3);
  const deep = [...new Set([...linked, ...routes].map(withoutQuery))]
    .filter((path) => path.split('/').length > 2)
    .map((path) => path.replace(/[^/]*$/, ''))
    .sort();
  const unknown = chance.shuffled([...new Set(deep)]).slice(0, 2).concat('/');
  const steps = [...chosen, ...unknown.map((path) => path + chance.word(9))].map((path) => ({
    kind: 'open',
    path,
    media: true,
  }));
  // What newsletters and advertisements add to addresses, and places within a page.
  const added = [`?utm_source=${chance.word()}&${chance.word()}=${chance.word()}`, `#${chance.word()}`];
  const bare = chance.shuffled(routes.filter((path) => path === withoutQuery(path)));
  const campaigns = bare.length ? added.map((more, at) => bare[at % bare.length] + more) : [];
  return [...steps, ...campaigns.map((path) => ({ kind: 'open', path }))];
}

function learn(known, told, seen, action) {
  const sent = told.calls.some((call) => call.method !== 'GET');
  if (action?.whole && (sent || known.paths.has(told.path))) {
    known.again(action, sent);
  }
  known.paths.add(told.path);
  for (const { target } of seen?.actions ?? []) {
    if (target.path) {
      known.linked.add(target.path);
    }
  }
}

/** Of a walk that was found, what `takeWalks` needs to take the same steps. */
export function wayOf(walk) {
  const seen = walk.seen.map(({ done, path, picture }) => ({ done, path, picture }));
  return { ...walk, seen };
}

/** Take the steps of walks that were found, some at a time; of each, what was seen after each step. */
export async function takeWalks(walks, open) {
  const found = walks.map(() => undefined);
  const waiting = [...walks.entries()];
  const walker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, walk] = next;
      const pictured = (told, at) => walk.seen[at]?.picture;
      found[number] = { ...walk, seen: await replay(walk, open, pictured).catch(() => []) };
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, walker));
  return found;
}

/** Take a step, and find out what can be used on its page. */
async function takeAndPlan(visit, step) {
  const { told, seen } = await take(visit, step);
  return { told, seen: seen && (await withoutCovered(visit, seen).catch(() => seen)) };
}

/** Take the next step of a walk, and a picture of it where one is wanted; what its page offers. */
async function takeOf(walk, visit, step, seen, pictured, by = take) {
  const number = seen.length;
  const { told, seen: page } = await by(visit, step);
  seen.push(told);
  if (pictured(told, number)) {
    Object.assign(told, await visit.pictured(`walk-${walk.number}-${number}`, step.way));
  }
  return page;
}

async function replay(walk, open, pictured) {
  const visit = await open(walk);
  const seen = [];
  try {
    for (const [number, step] of walk.steps.entries()) {
      const [before, own] = [walk.seen?.[number - 1], seen.at(-1)];
      if (before?.done && own && own.path !== before.path) {
        // One step that went elsewhere, or could not be taken, costs that step only.
        await visit.load(before.path).catch(() => {});
      }
      await takeOf(walk, visit, step, seen, pictured);
    }
  } finally {
    await visit.close();
  }
  return seen;
}
