"""A small application of our own: a router, a form, a back end; marked as Angular marks its root.

The boot looks at pages and not at what made them, so an application of a few lines shows what it
sees; packaged instances show the rest.
"""

from pathlib import Path

#: What the front page says of where and when it runs, in this order.
SURROUNDINGS = (
    *("clock", "zone", "language", "width", "chance", "origin", "secure"),
    *("driven", "agent", "natives", "globals"),
)

INDEX = """\
<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Ferry</title><base href="/">
    <style>:root { --deck: #1b3a4b } h1 { color: var(--deck) }</style></head>
  <body><app-root></app-root><script src="main.0123456789abcdef.js"></script></body>
</html>
"""

MAIN = """\
const root = document.querySelector('app-root');
const pages = {
  '/': () => `<h1>Ferries</h1><nav><a href="/book">Book</a> <a href="/boats?deck=2">Boats</a>
    <a href="https://elsewhere.example/">Elsewhere</a></nav><ul id="list"></ul>
    <p id="facts"></p>`,
  '/book': () => `<h1>Book</h1><form><label>Name <input id="name"></label>
    <label>Port <select id="port"><option value="a">Aran</option><option value="b">Burra</option>
    </select></label><label><input id="car" type="checkbox"> With a car</label>
    <button type="button" id="go">Go</button></form><p id="answer" role="status"></p>`,
  '/boats': () => `<h1>Boats</h1><p>Two boats sail from the old pier every day.</p>`,
};
function show() {
  const path = pages[location.pathname] ? location.pathname : '/';
  if (path !== location.pathname) history.replaceState(null, '', path);
  root.innerHTML = pages[path]();
  root.setAttribute('ng-version', 'VERSION');
  document.querySelector('#go')?.addEventListener('click', book);
  if (path === '/') load();
}
async function load() {
  const answer = await fetch('https://api.example/ferries?page=1');
  const names = answer.ok ? await answer.json() : ['none'];
  document.querySelector('#list').innerHTML = names.map((name) => `<li>${name}</li>`).join('');
  const natives = [Date, Math.random, fetch, WebSocket, navigator.serviceWorker.register];
  const native = /^function \\w+\\(\\) { \\[native code\\] }$/;
  const own = natives.every((each) => native.test(String(each)));
  const mark = /^(__|cdc_)|playwright/i;
  const odd = Object.getOwnPropertyNames(window).filter((each) => mark.test(each));
  document.querySelector('#facts').textContent = [
    new Date().toISOString(), Intl.DateTimeFormat().resolvedOptions().timeZone,
    navigator.language, innerWidth, Math.random(), location.origin, isSecureContext,
    navigator.webdriver, navigator.userAgent.match(/\\S*Chrome\\S*/)[0], own ? 'native' : 'patched',
    odd.join() || 'none',
  ].join(' ');
}
async function book() {
  const value = (id) => document.querySelector(id).value;
  const car = document.querySelector('#car').checked;
  const told = { name: value('#name'), port: value('#port'), car, at: Date.now() };
  const body = JSON.stringify({ ...told, id: crypto.randomUUID(), chance: Math.random() });
  const answer = await fetch('https://api.example/bookings?by=page', { method: 'POST', body });
  document.querySelector('#answer').textContent =
    `${value('#name')} to ${value('#port')}, ${car ? 'with' : 'without'} a car: ${answer.status}`;
}
EXTRA
show();
"""


def write(folder: Path, *, version: str = "2.0.0", extra: str = "", main: str = MAIN) -> Path:
    """Write the application as a build would leave it; `extra` runs before it starts."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(INDEX)
    script = main.replace("VERSION", version).replace("EXTRA", extra)
    (folder / "main.0123456789abcdef.js").write_text(script)
    return folder
