// Starts the page. A file of its own, since a strict content security policy refuses inline scripts. Trunk writes the
// names of the script and of the module, with their hashes, into this tag.
// In a frame the page is compact from its first picture on.
if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.dataset.embed = "";
const { glue, wasm } = document.querySelector("script[data-glue]").dataset;
try {
  const { default: init } = await import(glue);
  await init({ module_or_path: wasm });
} catch (error) {
  document.documentElement.dataset.failed = "";
  throw error;
}
