// What is chosen on a made-up page with an area of text that belongs to no form, and what is offered
// for that area the second and third time. As JSON, for many keys.
//
// usage: node choices.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const { Chance, Known, choose, offered } = await import(
  pathToFileURL(`${process.argv[2]}/choice.mjs`).href
);
const TEXTS = ['[{"id": 1}]', '[{"id": 2}]'];

function element(index, tag, role, name, path = null) {
  const target = { role, name, nth: 0, path, key: '' };
  const type = tag === 'button' ? 'button' : tag;
  const attributes = tag === 'button' ? { type } : {};
  return { index, tag, type, attributes, off: false, form: undefined, target, signature: tag, options: [] };
}

const actions = [
  element(1, 'a', 'link', 'Home', '/'),
  element(2, 'button', 'button', 'Sort'),
  element(3, 'textarea', 'textbox', 'Boats as JSON'),
  element(4, 'button', 'button', 'Import'),
  element(5, 'a', 'link', 'About', '/about'),
  // A form that has nothing to fill.
  { ...element(6, 'button', 'button', 'Undo'), form: 9 },
];

function chosen(key) {
  const [known, chance] = [new Known(TEXTS), new Chance(key, 'walk')];
  const offers = () => offered({ actions }, '/boats', known, chance);
  const first = choose(offers(), known, chance);
  const left = known.left();
  const area = () => offers().find((each) => each.step.kind === 'form');
  const second = area();
  known.note(second.action);
  return { left, steps: [first.step, second.step, area().step], untried: first.untried };
}

process.stdout.write(JSON.stringify(Array.from({ length: 50 }, (_, key) => chosen(`key ${key}`))));
