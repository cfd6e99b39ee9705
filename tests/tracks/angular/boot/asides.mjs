// What is told of links, queries, pictures and files, as JSON.
//
// usage: node asides.mjs DRIVER_FOLDER

import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ leadsTo, otherLinks }, { queriesOf }, { said }, { toldOf }] = await Promise.all(
  ['links.mjs', 'queries.mjs', 'traits.mjs', 'files.mjs'].map(from),
);
const given = JSON.parse(await new Response(Readable.toWeb(process.stdin)).text());

const HERE = 'https://here.example/';
const visit = {
  page: { url: () => HERE },
  inside: (href) => {
    const { origin, pathname } = new URL(href, HERE);
    return `${origin}/` === HERE ? pathname : undefined;
  },
};

/** A page of elements in a component, each a tag and attributes, right in the one before if it says so. */
function pageOf(elements) {
  const parentIndex = elements.map(([, , within], at) => (within ? at - 1 : -1));
  return {
    nodes: { parentIndex },
    tag: (index) => elements[index]?.[0] ?? '',
    attributes: (index) => elements[index][1],
    component: () => 'app-root',
    below: (index, tags) => elements.flatMap(([tag], at) => (at > index && tags.has(tag) ? [at] : [])),
  };
}

const file = (name, text) => ({
  suggestedFilename: () => name,
  createReadStream: () => Promise.resolve(Readable.from([Buffer.from(text)])),
  delete: () => Promise.resolve(),
});

const links = pageOf(given.links.map((href) => ['a', { href }]));
const told = {
  links: given.links.map((_, index) => leadsTo(links, index, visit) ?? null),
  others: otherLinks(links, new Set([0]), visit),
  queries: queriesOf(given.asked),
  said: given.elements.map((elements) => said(pageOf(elements), elements.length > 1 && elements[1][0] === 'img' ? 1 : 0)),
  files: await Promise.all(given.files.map(([name, text]) => toldOf(file(name, text), 1_000))),
};
process.stdout.write(JSON.stringify(told));
