// Keeps the page in the browser, so that it opens without a network. The build fills in the version and the files.

const VERSION = "{version}";
const FILES = /* files */ [];
const KEPT = `speicher-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith("speicher-") && name !== KEPT));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

// What is kept is served from there; networks are kept once they have been loaded.
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(KEPT);
  const found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.ok && request.url.endsWith(".weights")) await cache.put(request, response.clone());
  return response;
}
