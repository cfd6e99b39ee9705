// What becomes of made-up answers in each shape, and which pages are opened so, as JSON.
//
// usage: node shapes.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ answerOf }, { figured, shaped }] = [await from('backend.mjs'), await from('shapes.mjs')];
const [{ Chance }, { failing, otherwise, tried }] = [await from('chance.mjs'), await from('shaped.mjs')];

const BOATS = [
  { id: 'tern', name: 'Tern', built: '2020-02-29', knots: 12.5, stops: [{ name: 'Aran', km: 3 }], note: 'Gulls' },
  { id: 'gannet', name: 'Gannet', built: '2021-05-01', knots: 9, stops: [{ name: 'Burra', km: 4 }], note: 'Seals' },
];
const made = (value, kind, turn) => shaped(Buffer.from(JSON.stringify(value)), { kind, turn }).toString();
const turns = Array.from({ length: 60 }, (_, turn) => turn * 997);

const fixtures = ['boats', 'ports'].map((name) => ({
  method: 'GET',
  url: `https://api.example/${name}`,
  status: 200,
  content_type: 'application/json',
  body: Buffer.from('[]').toString('base64'),
}));
const statusOf = (name, statuses) =>
  answerOf(fixtures, { method: 'GET', url: `https://api.example/${name}`, body: null, statuses }).status;

/** What is kept of pages of a base that breaks in some shapes. */
async function kept(breaks, pages = ['/', '/boats']) {
  const steps = otherwise(pages, new Chance('key', 'walk'));
  const visit = { close: async () => {} };
  const things = { '/': 4, '/b': 60, '/d': 90 };
  const go = async (_, { path, shape }, seen) =>
    seen.push({ done: true, settled: true, errors: breaks[shape.kind] ?? [], things: Array(things[path] ?? 9).fill('') });
  const found = await tried({ steps }, async () => visit, go);
  return found.steps.map(({ path, shape }) => [shape.kind, path]);
}

process.stdout.write(
  JSON.stringify({
    many: turns.map((turn) => JSON.parse(made({ boats: BOATS, boatsCount: 2 }, 'many', turn))),
    plenty: turns.map((turn) => JSON.parse(made(BOATS, 'plenty', turn))),
    sparse: turns.map((turn) => JSON.parse(made(BOATS, 'sparse', turn))),
    figures: figured(BOATS),
    empty: JSON.parse(made({ boats: BOATS, boatsCount: 2 }, 'empty', 0)),
    nothing: made(BOATS, 'nothing', 3),
    errors: [...new Set(turns.map((turn) => made(BOATS, 'error', turn)))],
    plain: ['true', 'null', 'no JSON'].map((text) => shaped(Buffer.from(text), { kind: 'nothing', turn: 0 }).toString()),
    statuses: ['boats', 'ports'].map((name) => statusOf(name, [429, null])),
    failing: turns.map((turn) => failing(['/', '/boats'], new Chance(`key ${turn}`, 'walk'))),
    fullest: await kept({}, ['/', '/a', '/b', '/c', '/d']),
    kept: {
      all: await kept({}),
      few: await kept({ many: ['TypeError: no stops'], nothing: ['TypeError'], error: ['Failed to load resource: 500'] }),
    },
  }),
);
