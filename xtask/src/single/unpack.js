// The module that this one file brings along: WebAssembly, gzipped, in base64.
{
  const packed = atob(document.getElementById("packed").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  globalThis.packedModule = new Response(unpacked, { headers: { "content-type": "application/wasm" } });

  // This page as a file with settings, from its parts as they were before the program. In such a copy they stand in for a query
  // where the address has none, and where it cannot have any the program finds them (`web::address::query`).
  const [root, body] = [document.documentElement, document.body.outerHTML];
  globalThis.fedsysidPage = (settings) => {
    const attribute = settings.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    return `<!doctype html><html lang="en" data-settings="${attribute}">${document.head.outerHTML}${body}</html>`;
  };
  try {
    if (!location.search && root.dataset.settings) history.replaceState(null, "", `?${root.dataset.settings}${location.hash}`);
  } catch {
    // A page without an address, as course platforms show files.
  }
}
