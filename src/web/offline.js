// Keeps the page for when there is no network: all files of one version, or none of them. The build writes the version and its
// files into the next two lines (xtask/finish); without, as while one works on the page, this script takes itself away.
const VERSION = "";
const FILES = {};

// A cache is this folder's, and not of others on the same server.
const MINE = `${registration.scope} `;
const NAME = MINE + VERSION;

// A file that is not of this version is refused by its hash, and then nothing is kept. Pages that are open stay with the version
// that they began with: a new one waits until they are closed.
const keep = async () => {
  const cache = await caches.open(NAME);
  const requests = Object.entries(FILES).map(([file, integrity]) => new Request(file, { integrity, cache: "no-cache" }));
  await cache.addAll(requests).catch(async (error) => {
    await caches.delete(NAME);
    throw error;
  });
};

const tidy = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(MINE) && !(VERSION && name === NAME)).map((name) => caches.delete(name)));
  if (!VERSION) await registration.unregister();
};

const answer = async (file, request) =>
  (await caches.match(file, { cacheName: NAME, ignoreVary: true })) ?? fetch(request);

addEventListener("install", (event) => event.waitUntil(VERSION ? keep() : skipWaiting()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const address = event.request.url.split(/[?#]/)[0];
  if (event.request.method !== "GET" || !address.startsWith(registration.scope)) return;
  const file = address.slice(registration.scope.length).replace(/^(index\.html)?$/, "./");
  if (Object.hasOwn(FILES, file)) event.respondWith(answer(file, event.request));
});
