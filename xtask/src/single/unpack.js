// The module that this one file brings along: WebAssembly, gzipped, in base64.
{
  const packed = atob(document.getElementById("packed").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  globalThis.packedModule = new Response(unpacked, { headers: { "content-type": "application/wasm" } });
}
