// Installed in a document of the page's origin that does nothing by itself: starts engines the way the page does, and
// speaks with them in the page's own words.
globalThis.engine = (() => {
  // The page's first script, the glue and the module, by their addresses.
  const names = async () => {
    const page = new DOMParser().parseFromString(await (await fetch("./")).text(), "text/html");
    const address = (selector, name) => new URL(page.querySelector(selector).getAttribute(name), location.href).href;
    const glue = "script[data-glue]";
    return { boot: address("script[data-boot]", "src"), glue: address(glue, "src"), wasm: address(glue, "data-wasm") };
  };

  // The next message that is one of `wanted`; an error of the worker's ends the wait.
  const next = (worker, wanted) =>
    new Promise((resolve, reject) => {
      const heard = ({ data }) => {
        if (!wanted(data)) return;
        worker.removeEventListener("message", heard);
        resolve(data);
      };
      worker.addEventListener("message", heard);
      worker.addEventListener("error", ({ message }) => reject(new Error(`the worker fails: ${message}`)), { once: true });
    });

  const started = async (url, module) => {
    const worker = new Worker(url);
    const ready = next(worker, (data) => data instanceof Float64Array);
    worker.postMessage([module, page.glue]);
    await ready;
    return worker;
  };

  // The page's own worker keeps what the module exports to itself. This one starts the same module by the same glue, and
  // can be asked how much memory it has.
  const weighable = (glue) =>
    URL.createObjectURL(new Blob([`
      importScripts(${JSON.stringify(glue)});
      let exported;
      addEventListener("message", async ({ data: [module] }) => {
        exported = await wasm_bindgen({ module_or_path: module });
      }, { once: true });
      addEventListener("message", ({ data }) => {
        if (data === "memory") postMessage({ memory: exported.memory.buffer.byteLength });
      });
    `], { type: "text/javascript" }));

  let page, module, worker;

  const start = async () => {
    page = await names();
    module = await WebAssembly.compileStreaming(fetch(page.wasm));
    worker = await started(page.boot, module);
  };

  // The last word on a request, past all reports of progress.
  const answer = (to, request, progress) => {
    const answered = next(to, (data) => data instanceof Float64Array && data[0] !== progress);
    const numbers = new Float64Array(request);
    to.postMessage(numbers, [numbers.buffer]);
    return answered;
  };

  // Numbers bit by bit: JSON would lose some.
  const bits = (numbers) => Array.from(new BigUint64Array(numbers.buffer), String);

  const run = async (request, progress) => bits(await answer(worker, request, progress));

  const ms = async (request, progress) => {
    const from = performance.now();
    await answer(worker, request, progress);
    return performance.now() - from;
  };

  const time = async (few, many, progress, patience) => {
    const best = { few: Infinity, many: Infinity };
    const from = performance.now();
    while (performance.now() - from < patience) {
      best.few = Math.min(best.few, await ms(few, progress));
      best.many = Math.min(best.many, await ms(many, progress));
    }
    return best;
  };

  let weighing, isWeighed;

  // Takes minutes, which no driver waits for: whoever wants to know looks whether it is done.
  const weigh = (request, progress) => {
    isWeighed = false;
    weighing = (async () => {
      const scale = await started(weighable(page.glue), module);
      const answered = bits(await answer(scale, request, progress));
      const weight = next(scale, (data) => data.memory !== undefined);
      scale.postMessage("memory");
      return { bytes: (await weight).memory, answer: answered };
    })().finally(() => (isWeighed = true));
  };

  return { start, run, ms, time, weigh, isWeighed: () => isWeighed, weight: () => weighing };
})();
