// What is chosen on a made-up page with an area of text that belongs to no form, and what is offered
// for that area the second and third time; how a form is sent; what a form gets whose fields the
// instance has values for; and what is entered by itself. As JSON, for many keys.
//
// usage: node choices.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ Chance }, { Known, choose, offered, untriedOf }] = [await from('chance.mjs'), await from('choice.mjs')];
const { earliest, valueFor } = await from('values.mjs');
const ITEMS = JSON.stringify([1, 2].map((id) => ({ id, day: '2022-04-02', km: 4, note: 'Gulls' })));
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
  const untried = untriedOf(offers()).map(({ action }) => action.target.name);
  const first = choose(offers(), known, chance);
  const left = known.left();
  const area = () => offers().find((each) => each.step.kind === 'form');
  const second = area();
  known.note(second.action);
  return { left, steps: [first.step, second.step, area().step], untried };
}

/** How the first forms are sent that have a button, and what is entered there. */
function sent(key) {
  const NOW = Date.UTC(2026, 10, 27);
  const [known, chance] = [new Known([], NOW), new Chance(key, 'walk')];
  const form = [
    { ...element(1, 'input', 'textbox', 'Name'), type: 'text', form: 9 },
    { ...element(2, 'input', 'Date', 'Day'), type: 'date', form: 9, attributes: { max: '2027-12-31' } },
    { ...element(3, 'button', 'button', 'Send'), type: 'submit', attributes: {}, form: 9 },
  ];
  const steps = Array.from({ length: 8 }, () => {
    const { step } = choose(offered({ actions: form }, '/new', known, chance), known, chance);
    return { ...step, click: step.click?.name ?? '', enter: step.enter?.name ?? '' };
  });
  // The button is pressed alone as well.
  return steps.filter(({ kind }) => kind === 'form');
}

/** What is entered in a form again and again whose date, times and number the instance has. */
function measured(key, sends) {
  const [known, chance] = [new Known([], Date.UTC(2026, 10, 27)), new Chance(key, 'walk')];
  const entries = [
    ['Name', 'text', {}],
    ['Day', 'date', {}, '2025-01-11'],
    ['Start', 'time', {}, '10:00'],
    ['End', 'time', {}, '12:00'],
    ['Distance', 'number', { step: '0.1' }, '6.2'],
    ['Bags', 'number', { min: '1', max: '9', step: '2' }, '3'],
    ['Seats', 'number', { max: '4' }, '4'],
    ['Dogs', 'number', { max: '5' }, '3'],
    ['With', 'text', {}, 'Ada, Ben'],
    ['Code', 'text', {}, 'AB-12'],
  ];
  const form = entries.map(([name, type, attributes], at) => ({
    ...element(at, 'input', type, name),
    ...{ type, attributes, form: 9, backendNodeId: 100 + at },
  }));
  form.push({ ...element(20, 'button', 'button', 'Save'), type: 'submit', attributes: {}, form: 9 });
  const declared = new Map(entries.flatMap(([, , , value], at) => (value ? [[100 + at, value]] : [])));
  return Array.from({ length: 3 }, () => {
    const steps = offered({ actions: form, declared }, '/new', known, chance);
    const { action, step } = steps.find((each) => each.step.kind === 'form');
    known.note(action);
    known.again(action, sends);
    return Object.fromEntries(step.fill.map(({ target, value }) => [target.name, value]));
  });
}

/** What is entered in a search above links, and above none; and in fields of other kinds, and how. */
function looked(key) {
  const chance = new Chance(key, 'walk');
  const search = { ...element(1, 'input', 'searchbox', 'Search'), type: 'search' };
  const links = [element(2, 'a', 'link', 'Tern of Burra', '/boats/1'), element(3, 'a', 'link', 'Out', null)];
  const entered = (all) => offered({ actions: all }, '/', new Known(), chance)[0].step.fill[0];
  const box = { ...element(1, 'input', 'checkbox', 'Car'), type: 'checkbox' };
  const day = { ...element(1, 'input', 'Date', 'Day'), type: 'date' };
  const port = { ...element(1, 'select', 'combobox', 'Port'), options: [{ label: 'Aran', value: 'a' }] };
  return {
    above: entered([search, ...links]).value,
    below: entered([{ ...search, index: 9 }, ...links]).value,
    area: entered([element(1, 'textarea', 'textbox', 'Notes')]).value,
    short: entered([{ ...element(1, 'textarea', 'textbox', 'Notes'), attributes: { maxlength: '30' } }]).value,
    firsts: [box, day, port].map((each) => entered([each])),
    items: valueFor({ type: 'textarea', attributes: {}, options: [] }, chance, {}, [ITEMS], 0, 0),
    hour: earliest(chance),
  };
}

const many = (act) => Array.from({ length: 90 }, (_, key) => act(`key ${key}`));
process.stdout.write(
  JSON.stringify({
    areas: many(chosen),
    forms: many(sent),
    looked: many(looked),
    taken: many((key) => measured(key, true)),
    refused: many((key) => measured(key, false)),
  }),
);
