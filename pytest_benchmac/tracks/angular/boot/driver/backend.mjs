// The back end of walks: the instance's answers, and made-up ones where it has none.
//
// Both applications get the same answers. What is asked for beside what is known is answered from
// the nearest of its kind, so that pages show something that depends on what was asked or sent.

import { createHmac } from 'node:crypto';

import { isObject, parsed, shaped } from './shapes.mjs';
import { SIGN_IN } from './turns.mjs';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Statuses that back ends, and what stands before them, answer whoever reads. */
export const FAILURES = [400, 401, 403, 404, 408, 410, 429, 451, 500, 501, 502, 503, 504, 520];
const SIGN_IN_PAGE =
  '<!doctype html>\n<html lang="en"><head><title>Sign in</title></head><body><form method="post">' +
  '<label>Name <input name="user"></label> <button>Sign in</button></form></body></html>\n';
/** Methods that write nothing. */
export const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
// Bound of the values that are told of one request; `walked.py` has the same.
const VALUES = 60;

const segments = (url) => new URL(url).pathname.split('/').filter(Boolean);

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
 *   sent by POST, and known to no fixture?; `shape`: what becomes of what is read, see `shaped`, or null;
 *   `statuses`: what answers fail with in turn, null for those that do not; null where none fails
 */
export function answerOf(fixtures, { method, url, body, created = false, shape = null, statuses = null }) {
  const wanted = new URL(url);
  const address = `${wanted.origin}${wanted.pathname}`;
  const known = fixtures.find((each) => each.url === address && each.method === method);
  if (known) {
    const content = Buffer.from(known.body, 'base64');
    const status = statuses && statusOf(fixtures, known, statuses);
    if (status) {
      return refusal(status);
    }
    return { ...known, body: method === 'GET' && shape ? shaped(content, shape) : content };
  }
  const sibling = method === 'GET' ? siblingOf(fixtures, wanted) : undefined;
  if (sibling) {
    return sibling;
  }
  const hosts = new Set(fixtures.map((each) => new URL(each.url).origin));
  if (method === 'GET' || method === 'HEAD' || !hosts.has(wanted.origin)) {
    return undefined;
  }
  const status = statuses?.find(Boolean);
  return status ? refusal(status) : echo(body, created && method === 'POST' ? 201 : 200);
}

/** What an answer fails with: those that are JSON take turns; null for nothing. */
function statusOf(fixtures, fixture, statuses) {
  const json = fixtures.filter((each) => /json/.test(each.content_type));
  const paths = [...new Set(json.map((each) => new URL(each.url).pathname))];
  const at = paths.indexOf(new URL(fixture.url).pathname);
  return at < 0 ? null : statuses[at % statuses.length];
}

/** What a back end answers that is there, and does not take what is sent. */
export function refusal(status) {
  return status === SIGN_IN
    ? { status: 200, content_type: 'text/html; charset=utf-8', body: Buffer.from(SIGN_IN_PAGE) }
    : answer(status, { errors: { server: [`status ${status}`] } });
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
