// What is in files that a page hands out: how much of it, and by which words. Figures do not matter, which have dates.

import { digest, within } from './common.mjs';
import { isObject, parsed } from './shapes.mjs';

// A file is read so far, at most.
const BYTES = 1_000_000;
// So many files of a step are looked at.
export const FILES = 3;
// Kinds that are text, and no package writes otherwise in another version.
const TEXTS = new Set(['.json', '.csv', '.tsv', '.txt', '.gpx', '.geojson', '.ics', '.md', '.vcf']);
// So deep a shape is told, and with so many letters.
const DEEP = 3;
const SHAPE = 120;
const DIGEST = 12;

/** What a file is called ends in this, with its dot; empty where it is no kind. */
export const kindOf = (download) => /(\.\w{1,9})$/.exec(download.suggestedFilename())?.[1] ?? '';

/** Of JSON: how many items lists have, and what those and other things have. */
function shapeOf(value, deep = DEEP) {
  if (typeof value !== 'object' || value === null) {
    return value === null ? 'nothing' : typeof value;
  }
  if (Array.isArray(value)) {
    return `[${value.length}${value.length && deep ? ` of ${shapeOf(value[0], deep - 1)}` : ''}]`;
  }
  const names = Object.keys(value).sort();
  return `{${names.map((name) => (deep ? `${name}: ${shapeOf(value[name], deep - 1)}` : name)).join(', ')}}`;
}

async function contentOf(download, ms) {
  const stream = await within(download.createReadStream(), ms);
  const parts = [];
  let bytes = 0;
  const read = async () => {
    for await (const part of stream) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= BYTES) {
        break;
      }
    }
  };
  await within(read(), ms);
  stream.destroy();
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, BYTES));
}

/** What a file that was handed out has, in words; none where it could not be had. */
export async function toldOf(download, ms) {
  const kind = kindOf(download);
  try {
    const text = await contentOf(download, ms);
    await within(download.delete(), ms).catch(() => {});
    const file = `a file ${kind || 'of no kind'}`;
    if (!TEXTS.has(kind.toLowerCase())) {
      return text ? [`${file} is handed out that is not empty`] : [];
    }
    const value = parsed(text);
    const lines = text.trimEnd().split('\n').length;
    const has = value === undefined ? `${lines} lines` : shapeOf(value).slice(0, SHAPE);
    // In whatever order things are named.
    const ordered = (_, each) => (isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each);
    const words = (value === undefined ? text : JSON.stringify(value, ordered)).replace(/[\d.,:]+/g, '0');
    return [`${file} has ${has}`, `${file} has words of the digest ${digest(words).slice(0, DIGEST)}`];
  } catch {
    return [];
  }
}
