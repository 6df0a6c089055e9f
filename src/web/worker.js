// The first words of an engine's worker. The page posts its compiled module; the script that goes with it stands beside
// this one, under the name given in this one's address.
self.addEventListener("message", async ({ data: module }) => {
  try {
    const glue = new URL(self.location.href).searchParams.get("glue");
    if (!/^[\w.-]+\.js$/.test(glue)) throw new Error(`no script of ours: ${glue}`);
    const { default: init } = await import(`./${glue}`);
    await init({ module_or_path: module });
  } catch (error) {
    // Outside of the promise, so that the page hears of it as the worker's error.
    setTimeout(() => { throw error; });
  }
}, { once: true });
