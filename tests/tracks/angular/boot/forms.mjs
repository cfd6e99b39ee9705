// The limits that are found of made-up fields, what a form gets because of them, and what follows, as JSON.
//
// usage: node forms.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ atLimits, imports, limitsOf, onwards, withChoices }, { Chance }] = [await from('forms.mjs'), await from('chance.mjs')];

/** A page with one field, which takes what is told, and no more letters than it has room for. */
function page(takes, room = Infinity) {
  let value = '';
  const visit = {
    tries: 0,
    asked: { call: async (code) => (code.name === 'state' ? { value, refused: !takes(value) } : undefined) },
    person: {
      input: async (_, { text }) => {
        visit.tries += 1;
        value = text.slice(0, room);
      },
    },
    clock: { advance: async () => {} },
  };
  return visit;
}

async function found(type, value, takes, attributes = {}, room = Infinity) {
  const visit = page(takes, room);
  const limits = await limitsOf(visit, { backendNodeId: 1, type, attributes }, value);
  return { limits, tries: visit.tries };
}

const between = (least, most) => (value) => Number(value) >= least && Number(value) <= most;
const limited = {
  distance: await found('number', '6.2', between(0.1, 80), { step: '0.1' }),
  any: await found('number', '3', between(0.25, 1e9), { step: 'any' }),
  whole: await found('number', '3', between(-1e9, 12)),
  free: await found('number', '3', () => true),
  refused: await found('number', '3', () => false),
  notes: await found('textarea', 'Gulls', (value) => value.length <= 280),
  room: await found('text', 'Ada', () => true, { maxlength: '40' }, 40),
  long: await found('text', 'Ada', () => true),
};

const target = (name) => ({ role: 'textbox', name });
const [distance, notes, day, trail] = ['Distance', 'Notes', 'Day', 'Trail'].map(target);
const fill = [
  { target: distance, type: 'number', value: '6.2' },
  { target: notes, type: 'textarea', value: 'Gulls' },
];
const limits = [limited.distance.limits, limited.notes.limits];
const told = ({ fill }) => fill.map(({ value }) => (value.length > 9 ? value.length : value));
const turns = atLimits({ kind: 'form', fill }, limits, new Chance('key', 'forms')).map((each) => each.map(told));

const options = (labels) => labels.map((label) => ({ label, value: label }));
const choices = { actions: [{ target: day, options: options(['Sat', 'Sun']) }, { target: trail, options: options(['A', 'B', 'C']) }] };
const chosen = [trail, day].map((each) => ({ target: each, type: 'select', value: 'A' }));
const area = { step: { kind: 'form', fill: [{ target: notes, type: 'textarea', value: '' }] } };
const links = ['/', '/plan/gear', '/about', '/boats/7'].map((path) => ({ off: false, target: { role: 'link', path } }));
const led = [];
for (const been = ['/plan']; led.length < 5; been.push(led.at(-1))) {
  led.push(onwards(links, '/plan', been, new Chance('key', 'forms'))?.click.path ?? null);
}

process.stdout.write(
  JSON.stringify({
    limited,
    turns,
    none: atLimits({ kind: 'form', fill }, [[], []], new Chance('key', 'forms')),
    choices: withChoices({ step: { kind: 'form', fill: chosen } }, choices).map(told),
    imports: imports(area, ['[{"id": 1, "km": 4}]']).map(({ fill: [{ value }] }) => value),
    led,
  }),
);
