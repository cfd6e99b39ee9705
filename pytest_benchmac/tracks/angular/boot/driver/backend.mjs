// The back end of walks: the instance's answers, and made-up ones where it has none.
//
// Both applications get the same answers. What is asked for beside what is known is answered from
// the nearest of its kind, so that pages show something that depends on what was asked or sent.

import { createHmac } from 'node:crypto';

import { SIGN_IN } from './turns.mjs';
import { TIMED } from './values.mjs';

const JSON_TYPE = 'application/json; charset=utf-8';
// How numbers are called that tell how long a list is; `variation.py` has the same.
const COUNTS = /count|total|length|size/i;
const FAILURES = [401, 404, 500, 503];
const SIGN_IN_PAGE =
  '<!doctype html>\n<html lang="en"><head><title>Sign in</title></head><body><form method="post">' +
  '<label>Name <input name="user"></label> <button>Sign in</button></form></body></html>\n';
// What things are called or known by, and addresses, are there; days and times as well.
const NEEDED = /id$|name|title|label|user|mail|slug|key|token|session|url|image|href/i;
/** Methods that write nothing. */
export const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
// Bound of the values that are told of one request; `walked.py` has the same.
const VALUES = 60;

const segments = (url) => new URL(url).pathname.split('/').filter(Boolean);

/** A JSON value, or undefined for what is none. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isList = (value) => Array.isArray(value) && value.some(isObject);
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** A value with a string in it replaced by another, wherever it stands alone. */
function renamed(value, from, to) {
  if (value === from) {
    return to;
  }
  if (Array.isArray(value)) {
    return value.map((each) => renamed(each, from, to));
  }
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, renamed(each, from, to)]),
    );
  }
  return value;
}

/**
 * The answer to a request: `{status, content_type, body}`, with a Buffer for a body; undefined when
 * nothing of the back end is like what was asked for.
 *
 * @param fixtures `[{method, url, status, content_type, body}]`, bodies in base64
 * @param asked `{method, url, body}`, the body as text or null; `created`: is that said of what is
 *   sent by POST, and known to no fixture?; `empty`: are lists without items?; `sparse`: null, or the
 *   number that says which texts of their items are null
 * @param trouble null; or a number that chooses which fixture fails, and how
 */
export function answerOf(fixtures, { method, url, body, created = false, empty = false, sparse = null }, trouble = null) {
  const wanted = new URL(url);
  const address = `${wanted.origin}${wanted.pathname}`;
  const known = fixtures.find((each) => each.url === address && each.method === method);
  if (known) {
    const content = Buffer.from(known.body, 'base64');
    if (trouble !== null && fails(fixtures, known, trouble)) {
      return failure(trouble);
    }
    const less = empty ? emptied(content) : sparse === null ? content : withNulls(content, sparse);
    return { ...known, body: method === 'GET' ? less : content };
  }
  const sibling = method === 'GET' ? siblingOf(fixtures, wanted) : undefined;
  if (sibling) {
    return sibling;
  }
  const hosts = new Set(fixtures.map((each) => new URL(each.url).origin));
  if (method === 'GET' || method === 'HEAD' || !hosts.has(wanted.origin)) {
    return undefined;
  }
  const status = created && method === 'POST' ? 201 : 200;
  return trouble === null ? echo(body, status) : failure(trouble);
}

/** JSON whose lists of things are empty, and what counts them says so; anything else as it is. */
function emptied(content) {
  const value = parsed(content.toString());
  if (isList(value)) {
    return Buffer.from('[]');
  }
  if (!isObject(value) || !Object.values(value).some(isList)) {
    return content;
  }
  const less = ([key, each]) => {
    const counts = Number.isInteger(each) && COUNTS.test(key);
    return [key, isList(each) ? [] : counts ? 0 : each];
  };
  return Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(value).map(less))));
}

/** JSON in which each thing of a list has null instead of one of its texts: another one each, in turn. */
function withNulls(content, turn) {
  const value = parsed(content.toString());
  if (!isObject(value) && !Array.isArray(value)) {
    return content;
  }
  const may = ([key, each]) => typeof each === 'string' && !NEEDED.test(key) && !TIMED.test(each);
  const without = (item, at) => {
    const names = Object.entries(item).filter(may).map(([key]) => key).sort();
    return names.length ? { ...item, [names[(turn + at) % names.length]]: null } : item;
  };
  const sparse = (each) => {
    if (Array.isArray(each)) {
      return each.map((item, at) => (isObject(item) ? without(item, at) : item));
    }
    return isObject(each)
      ? Object.fromEntries(Object.entries(each).map(([key, one]) => [key, sparse(one)]))
      : each;
  };
  return Buffer.from(JSON.stringify(sparse(value)));
}

/** Of the fixtures that are JSON, one in two or so fails; told by the number alone. */
function fails(fixtures, fixture, trouble) {
  const json = fixtures.filter((each) => /json/.test(each.content_type));
  const paths = [...new Set(json.map((each) => new URL(each.url).pathname))];
  const at = paths.indexOf(new URL(fixture.url).pathname);
  return at >= 0 && at % 2 === trouble % 2;
}

/** What a back end answers that is there, and does not take what is sent. */
export function refusal(status) {
  return status === SIGN_IN
    ? { status: 200, content_type: 'text/html; charset=utf-8', body: Buffer.from(SIGN_IN_PAGE) }
    : answer(status, { errors: { server: [`status ${status}`] } });
}

function failure(trouble) {
  const status = FAILURES[(trouble >>> 1) % FAILURES.length];
  return refusal(status);
}

function answer(status, value) {
  return { status, content_type: JSON_TYPE, body: Buffer.from(JSON.stringify(value)) };
}

/** The answer of an address that differs in one segment, with that segment's word replaced. */
function siblingOf(fixtures, wanted) {
  const own = segments(wanted.href);
  for (const each of fixtures) {
    if (each.method !== 'GET' || new URL(each.url).origin !== wanted.origin) {
      continue;
    }
    const other = segments(each.url);
    const differ = own.flatMap((word, at) => (word === other[at] ? [] : [at]));
    const value = parsed(Buffer.from(each.body, 'base64').toString());
    // The first segments name the resource.
    if (other.length === own.length && differ.length === 1 && differ[0] > 1 && isObject(value)) {
      const [at] = differ;
      return answer(each.status, renamed(value, decodeURIComponent(other[at]), decoded(own[at])));
    }
  }
  return undefined;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What was sent, with an id of its own: as most back ends answer what they have stored. */
function echo(body, status) {
  const value = parsed(body ?? '');
  const id = createHmac('sha256', 'id').update(body ?? '').digest().readUInt16BE(0) + 1_000;
  return answer(status, isObject(value) ? { id, ...value } : {});
}

/**
 * What is told of a request: enough to see whether another application sends the same.
 *
 * @param guard the value of the cookie that guards against forged requests
 */
export function callOf({ pathname, searchParams }, method, headers, body, guard) {
  const plain = (name) => String(headers[name] ?? '').split(';')[0].trim().slice(0, 300);
  return {
    method,
    path: pathname.slice(0, 300),
    query: [...new Set(searchParams.keys())].sort().join(',').slice(0, 300),
    body: shape(body).slice(0, 500),
    media: body ? plain('content-type') : '',
    // Whether an application or its framework asks for JSON first is no difference in what it does.
    accept: /json|\*\/\*/.test(headers.accept ?? '*/*') ? 'json' : plain('accept'),
    authorization: plain('authorization'),
    values: valuesOf(searchParams, headers, body, guard),
  };
}

/** The keys of what was sent, in order; `-` for nothing, `text` for what is no JSON. */
export function shape(body) {
  if (!body) {
    return '-';
  }
  const value = parsed(body);
  return value === undefined ? 'text' : shapeOf(value, 0);
}

function shapeOf(value, depth) {
  if (Array.isArray(value)) {
    return value.length && depth < 5 ? `[${shapeOf(value[0], depth + 1)}]` : '[]';
  }
  if (!isObject(value)) {
    // A field that is empty may be null or '' from version to version.
    return '*';
  }
  const keys = Object.keys(value).sort();
  const told = keys.map((key) =>
    typeof value[key] === 'object' && value[key] !== null && depth < 5
      ? `${key}:${shapeOf(value[key], depth + 1)}`
      : key,
  );
  return `{${told.join(',')}}`;
}

/**
 * Each value of the query and of the JSON that was sent, with where it stands: `?page`, `.user.name`;
 * and `sent` for each header that applications add of their own: `header x-name`; or that it is the `guard`.
 */
function valuesOf(query, headers, body, guard) {
  const found = [];
  const add = (at, value) => {
    if (found.length < VALUES) {
      // A field that is empty may be null or '' from version to version.
      found.push([at.slice(0, 300), String(value ?? '').slice(0, 300)]);
    }
  };
  const leaves = (at, value, depth) => {
    if (value === null || typeof value !== 'object' || depth === 0) {
      add(at, typeof value === 'object' && value !== null ? JSON.stringify(value) : value);
    } else {
      for (const key of Object.keys(value).sort()) {
        leaves(Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, value[key], depth - 1);
      }
    }
  };
  for (const [key, value] of [...query].sort()) {
    add(`?${key}`, value);
  }
  for (const name of Object.keys(headers).filter((each) => each.startsWith('x-')).sort()) {
    add(`header ${name}`, headers[name] === guard ? 'the guard' : 'sent');
  }
  if (body) {
    leaves('', parsed(body) ?? body, 6);
  }
  return found;
}
