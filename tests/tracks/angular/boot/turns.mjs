// Many made-up walks: what turns were taken on them, as JSON.
//
// usage: node turns.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const WALKS = 3;
const STEPS = 11;
const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ Turns }, { Chance }] = [await from('turns.mjs'), await from('chance.mjs')];
const links = ['/a', '/', '/b'].map((path) => ({ off: false, target: { role: 'link', path } }));
const button = { role: 'button', name: 'Send', path: null };
const target = { role: 'textbox', key: 'text' };

/** What is done after steps at which a page asked something, by where they ended. */
function asked(key) {
  const turns = new Turns(new Chance(key, 'asking'), WALKS, STEPS);
  const click = { kind: 'click', fill: [], click: button };
  return ['/a', '/', '/', '/'].map((path, at) => {
    const walk = { steps: [{ kind: 'open' }, click], seen: [{ done: true, path: '/' }, { done: true, path }] };
    turns.answer(walk, 0, at % 2 === 0);
    return turns.pending[0].shift() ?? null;
  });
}

function walked(key) {
  const turns = new Turns(new Chance(key, 'turns'), WALKS, STEPS);
  const chance = new Chance(key, 'application');
  const walks = Array.from({ length: WALKS }, () => ({ steps: [{ kind: 'open', path: '/' }], seen: [] }));
  for (let number = 0; number < STEPS; number += 1) {
    for (const [at, walk] of walks.entries()) {
      const form = walk.steps[number].kind === 'form';
      const path = form ? chance.one(['/sent', '/form', '/form']) : chance.one(['/', '/form', '/form', '/a']);
      const method = form && chance.below(2) ? 'POST' : 'GET';
      // Most is shown at one address.
      const more = form ? chance.below(4) : 0;
      const things = Array.from({ length: path === '/a' ? 9 : 1 + more }, (_, each) => `${each}`);
      walk.seen.push({ done: true, path, things, calls: [{ method }] });
      turns.after(walk, at);
      const turn = turns.next(walk, at, links);
      const own = chance.below(3)
        ? { kind: 'click', fill: [], click: button }
        : { kind: 'form', fill: [{ target, value: `${at} ${number}` }], click: button };
      if (number + 1 < STEPS) {
        walk.steps.push(turn ?? turns.refuse(own, number + 1));
      }
    }
  }
  const taken = walks.map(({ steps, seen }) =>
    steps.map((step, at) => ({ ...step, sent: seen[at].calls[0].method === 'POST', path: seen[at].path })),
  );
  return { walks: taken, left: turns.leftRefusals(), asked: asked(key) };
}

process.stdout.write(JSON.stringify(Array.from({ length: 100 }, (_, key) => walked(`key ${key}`))));
