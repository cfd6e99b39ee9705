// Names of hosts that a page has the browser look up ahead (dns-prefetch, preconnect): who answers for a
// name reads what is written in it, though nothing is requested. This browser looks none up, others do.

const WORLD = 'hints';

/** Runs in every document before its own scripts, in a world of the harness's own. */
function watch() {
  const AHEAD = /\b(dns-prefetch|preconnect)\b/i;
  const tell = (link) => AHEAD.test(link.rel) && globalThis.hinted(link.href);
  const lookAt = (node) => {
    const links = node.localName === 'link' ? [node] : (node.querySelectorAll?.('link') ?? []);
    links.forEach(tell);
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes, oldValue } of records) {
      addedNodes.forEach(lookAt);
      if (target.localName === 'link') {
        tell(target);
      }
      // It may have been taken back at once.
      if (oldValue && AHEAD.test(oldValue)) {
        globalThis.hinted(target.href);
      }
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['href', 'rel'], attributeOldValue: true });
}

/**
 * Tell of each name that a page has looked up, as far as no file of its application and no answer of its
 * back end has it: those tell nothing.
 *
 * @param visit whose page it is
 * @param told what is called, with the name
 */
export async function watchHints(visit, told) {
  const { asked, plan } = visit;
  visit.cdp.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === 'hinted' && URL.canParse(payload)) {
      const { hostname } = new URL(payload);
      const own = hostname === new URL(plan.origin).hostname;
      if (!own && !visit.site.mentions(hostname) && !answers(plan, hostname)) {
        told(hostname);
      }
    }
  });
  await asked.send('Page.enable');
  await asked.send('Runtime.enable');
  await asked.send('Runtime.addBinding', { name: 'hinted', executionContextName: WORLD });
  const source = `(${watch})()`;
  await asked.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD });
}

/** Has an answer of the back end this in it? */
function answers({ fixtures, walks }, part) {
  return [...fixtures, ...walks.fixtures].some(({ body }) => Buffer.from(body, 'base64').includes(part));
}
