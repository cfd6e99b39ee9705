// One application: its files, and the answer to every request of its pages.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { digest } from './common.mjs';

// Where every address is told to be, whatever the origin of this boot: records can be compared then.
const TOLD = 'http://localhost';
// Letters of what tells versions of a file apart.
const ETAG = 16;

export class Site {
  /**
   * @param plan what the driver was told
   * @param folder has files.bin, the files one after another
   * @param index `base`: the folder of the server that the page names; `files`: path -> offset,
   *   length and content type; `policy`: the content security policy, with `'page'` for what the
   *   page has inline; `templates`: path -> offsets of template functions
   */
  constructor(plan, folder, index) {
    this.plan = plan;
    this.base = index.base;
    this.files = index.files;
    this.policy = index.policy;
    this.templates = new Map(
      Object.entries(index.templates).map(([name, offsets]) => [name, new Set(offsets)]),
    );
    this.texts = new Map();
    this.digested = new Map();
    this.inline = new Set();
    this.blob = fs.openSync(path.join(folder, 'files.bin'), 'r');
  }

  /** Have these scripts and handlers be the page's own: they may run. */
  allow(inline) {
    this.inline = new Set(inline);
    const digests = [...this.inline].map(
      (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    this.policy = this.policy.replace("'page'", digests.join(' '));
  }

  /** The same application at another origin. */
  at(origin) {
    const other = Object.assign(Object.create(Site.prototype), this);
    other.plan = { ...this.plan, origin };
    return other;
  }

  /** The address of a path of the application. */
  address(below) {
    return this.plan.origin + this.base + below.slice(1);
  }

  /** An address as it is told: as if the application were at the root of `TOLD`. */
  told(url) {
    const text = String(url);
    for (const start of [this.plan.origin + this.base, `${this.plan.origin}/`]) {
      if (text.startsWith(start)) {
        return `${TOLD}/${text.slice(start.length)}`;
      }
    }
    return text;
  }

  /** Path below the base of an address of this application; undefined for any other. */
  below(url) {
    try {
      const { origin, pathname } = new URL(url);
      const name = decodeURIComponent(pathname);
      const here = origin === this.plan.origin && name.startsWith(this.base);
      return here ? name.slice(this.base.length) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Does the page or a style sheet of the application have this address, as it is? */
  names(url) {
    const texts = Object.keys(this.files).filter((name) => /\.(html|css)$/.test(name));
    const bare = String(url).split('#')[0].replace(/^https?:/, '');
    return texts.some((name) => this.text(name).replaceAll('&amp;', '&').includes(bare));
  }

  /** Contents of the application's style sheets. */
  styleSheets() {
    return Object.keys(this.files)
      .filter((name) => this.files[name][2].startsWith('text/css'))
      .map((name) => this.read(name));
  }

  /** Has a file of the application, as text, this in it? */
  mentions(part) {
    const texts = Object.keys(this.files).filter((name) => /\.(html|css|m?js|json)$/.test(name));
    return texts.some((name) => this.text(name).includes(part));
  }

  /**
   * The file that is asked for with a query that no file of the application has, which therefore tells
   * something; undefined for any other request.
   */
  queried(request) {
    const { search } = new URL(request.url());
    const name = search && request.resourceType() !== 'document' ? this.below(request.url()) : undefined;
    const file = name !== undefined && Object.hasOwn(this.files, name) && !this.fixture(request.url(), 'GET');
    return file && !this.mentions(search) ? name : undefined;
  }

  /** Content of a file by its path below the base; undefined where there is none. */
  read(name) {
    if (!Object.hasOwn(this.files, name)) {
      return undefined;
    }
    const [offset, length] = this.files[name];
    const body = Buffer.alloc(length);
    fs.readSync(this.blob, body, 0, length, offset);
    return body;
  }

  /** The same as the browser decodes it. */
  text(name) {
    if (!this.texts.has(name)) {
      const body = this.read(name);
      this.texts.set(name, body && new TextDecoder().decode(body));
    }
    return this.texts.get(name);
  }

  /** Digests (SHA-256) of a file, and of its text in UTF-8; undefined where there is none. */
  digests(name) {
    if (!this.digested.has(name) && Object.hasOwn(this.files, name)) {
      const [sha256, textSha256] = [this.read(name), this.text(name)].map(digest);
      this.digested.set(name, { sha256, textSha256 });
    }
    return this.digested.get(name);
  }

  /**
   * What to answer a request with: `fulfill` for Playwright's route, or none, and `why` where it
   * is to be listed.
   */
  answer(request) {
    const method = request.method();
    const fixture = this.fixture(request.url(), method);
    if (fixture) {
      return {
        fulfill: {
          status: fixture.status,
          contentType: fixture.content_type,
          headers: { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' },
          body: Buffer.from(fixture.body, 'base64'),
        },
      };
    }
    let url;
    try {
      url = new URL(request.url());
    } catch {
      return { why: 'refused' };
    }
    if (url.origin !== this.plan.origin) {
      return { why: 'refused' };
    }
    const found = method === 'GET' ? this.fileOf(request) : undefined;
    if (!found) {
      // Every browser asks for an icon, and applications need not have it.
      return {
        fulfill: { status: 404, contentType: 'text/plain', body: 'not found' },
        why: url.pathname === '/favicon.ico' ? undefined : 'missing',
      };
    }
    return {
      fulfill: {
        status: 200,
        contentType: this.files[found][2],
        headers: {
          'x-content-type-options': 'nosniff',
          // As servers of files tell which version it is (RFC 9110, 8.8.3).
          etag: `"${this.digests(found).sha256.slice(0, ETAG)}"`,
          ...this.policyFor(request.resourceType()),
        },
        body: this.read(found),
      },
    };
  }

  /** The header, where no script can read it: nothing tells by it whose application this is. */
  policyFor(kind) {
    // What workers are made of has a policy of its own.
    const workers = !this.policy.includes("worker-src 'none'");
    const bound = kind === 'document' || (workers && !['fetch', 'xhr'].includes(kind));
    return bound ? { 'content-security-policy': this.policy } : {};
  }

  /** Name of the file that is asked for; the index for pages that only the router knows. */
  fileOf(request) {
    const name = this.below(request.url());
    if (name === undefined || Object.hasOwn(this.files, name)) {
      return name;
    }
    const page = request.resourceType() === 'document' && !path.posix.extname(name);
    return page ? this.plan.index : undefined;
  }

  fixture(url, method) {
    let wanted;
    try {
      const { origin, pathname } = new URL(this.told(url));
      wanted = origin + pathname;
    } catch {
      return undefined;
    }
    return this.plan.fixtures.find((each) => each.url === wanted && each.method === method);
  }
}
