// The scripts and event handlers that an entry page has in itself.
//
// The browser tells what they are, from the page as it is served: what a page quotes as data, such
// as a `<script>` of another type or a `<noscript>`, is none of them.

import { within } from './common.mjs';

// A page with more is nobody's.
const MOST = 1_000;

/** Runs in the page, none of whose scripts has run. */
function collect() {
  const types =
    /^(module|importmap|(text|application)\/(x-)?(java|ecma)script|text\/(javascript1\.\d|jscript|livescript))?$/i;
  const executable = (each) => {
    const type = each.getAttribute('type');
    return types.test(type === null ? '' : type.trim());
  };
  const scripts = [...document.querySelectorAll('script:not([src])')].filter(executable);
  const handlers = [...document.querySelectorAll('*')].flatMap((element) =>
    [...element.attributes].filter(({ name }) => /^on/i.test(name)).map(({ value }) => value),
  );
  return [...scripts.map((each) => each.textContent), ...handlers];
}

/** The texts of both, as the browser would run them. */
export async function inlineOf(browser, plan, site) {
  const page = site.read(plan.index);
  if (!page) {
    return [];
  }
  const context = await browser.newContext();
  let served = false;
  try {
    await context.route('**/*', (route) => {
      // Once: a page that leads elsewhere by itself stays.
      const first = !served && route.request().resourceType() === 'document';
      served ||= first;
      const answer = {
        contentType: 'text/html; charset=utf-8',
        // Scripting is on, so that it is parsed as ever, and no script runs.
        headers: { 'content-security-policy': "default-src 'none'" },
        body: page,
      };
      return first ? route.fulfill(answer) : route.abort('blockedbyclient');
    });
    const opened = await context.newPage();
    const timeout = plan.answer_ms;
    await opened.goto(site.address('/'), { waitUntil: 'domcontentloaded', timeout });
    return (await within(opened.evaluate(collect), timeout)).slice(0, MOST);
  } finally {
    await within(context.close(), plan.answer_ms).catch(() => {});
  }
}
