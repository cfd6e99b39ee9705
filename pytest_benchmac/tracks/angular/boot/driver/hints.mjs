// What a page has browsers ask for by itself, and this one asks for nowhere: names of hosts that are looked
// up ahead (dns-prefetch, preconnect), which who answers for a name reads, and addresses of what goes with a
// page, such as its icon.

const WORLD = 'hints';
const LOOKED_UP = /\b(dns-prefetch|preconnect)\b/i;

/** Runs in every document before its own scripts, in a world of the harness's own. */
function watch() {
  const AHEAD = /\b(dns-prefetch|preconnect|prefetch|prerender|icon|apple-touch-icon|manifest|search)\b/i;
  const tell = (link, rel = link.rel) => AHEAD.test(rel) && globalThis.hinted(`${rel} ${link.href}`);
  const lookAt = (node) => {
    const links = node.localName === 'link' ? [node] : (node.querySelectorAll?.('link') ?? []);
    links.forEach((link) => tell(link));
  };
  new MutationObserver((records) => {
    for (const { target, addedNodes, oldValue } of records) {
      addedNodes.forEach(lookAt);
      if (target.localName === 'link') {
        tell(target);
        // It may have been taken back at once.
        tell(target, oldValue ?? '');
      }
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['href', 'rel'], attributeOldValue: true });
}

/**
 * Tell of each host that a page has looked up or asked by such a link, as far as no file of its
 * application and no answer of its back end has what is told by it: those tell nothing.
 *
 * @param visit whose page it is
 * @param told what is called, with the name
 */
export async function watchHints(visit, told) {
  const { asked, plan } = visit;
  visit.cdp.on('Runtime.bindingCalled', ({ name, payload }) => {
    const [, rel = '', href = ''] = name === 'hinted' ? /^(.*) (\S+)$/s.exec(payload) ?? [] : [];
    if (URL.canParse(href)) {
      const { hostname, search } = new URL(href);
      const own = hostname === new URL(plan.origin).hostname;
      // Of what is looked up the name tells something, of what is asked for the address.
      const says = LOOKED_UP.test(rel) ? hostname : href;
      if ((!own || search) && !visit.site.mentions(says) && !answers(plan, says)) {
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
