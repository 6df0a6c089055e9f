// Installed before the page's first script, to see what nobody could see afterwards. The page knows nothing of it.
globalThis.witness = (() => {
  const seen = { longTasks: [], shifts: [], addressWrites: [], violations: [], errors: [], firstCurve: null };
  const name = (node) => (node instanceof Element ? node.cloneNode().outerHTML : String(node));

  // Has the browser tell of something, if it knows of such things. What it has not told yet is fetched.
  const observe = (type, keep) => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return null;
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type, buffered: true });
    return () => keep(observer.takeRecords());
  };

  // Tasks of the main thread that took more than 50 ms.
  const keepTasks = (entries) => seen.longTasks.push(...entries.map(({ startTime, duration }) => ({ at: startTime, ms: duration })));
  const fetchTasks = observe("longtask", keepTasks);

  // Whatever changed its place without having been asked to.
  const place = ({ x, y, width, height }) => `${width} × ${height} at (${x}, ${y})`;
  const moved = ({ node, previousRect, currentRect }) =>
    `${name(node)} from ${place(previousRect)} to ${place(currentRect)}`;
  const keepShifts = (entries) => {
    for (const { startTime, value, sources } of entries) {
      seen.shifts.push({ at: startTime, value, what: sources.map(moved) });
    }
  };
  const fetchShifts = observe("layout-shift", keepShifts);

  for (const way of ["replaceState", "pushState"]) {
    const write = history[way];
    history[way] = function (state, title, url) {
      seen.addressWrites.push({ at: performance.now(), url: String(url) });
      return write.call(this, state, title, url);
    };
  }

  // Where the driver knows nothing of the console, the server is told of errors: it remembers those of all documents.
  let tell = () => {};
  const tellServer = (url) => {
    if (location.protocol.startsWith("http")) tell = (text) => navigator.sendBeacon(url, text);
  };

  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample, target, disposition }) => {
    const violation = `${effectiveDirective} ${blockedURI} ${sample} at ${name(target)}`;
    seen.violations.push(violation);
    if (disposition === "enforce") tell(`Content Security Policy refuses ${violation}`);
  });

  const keepError = (text) => {
    seen.errors.push(text);
    tell(text);
  };
  addEventListener("error", ({ message }) => keepError(message));
  addEventListener("unhandledrejection", ({ reason }) => keepError(String(reason)));
  const logError = console.error;
  console.error = (...words) => {
    tell(words.join(" "));
    logError.apply(console, words);
  };

  const workers = [];
  globalThis.Worker = class extends Worker {
    constructor(...options) {
      super(...options);
      this.from = String(options[0]);
      this.heard = 0;
      this.addEventListener("message", () => this.heard++);
      this.addEventListener("error", (event) => {
        const told = () => event.defaultPrevented || tell(`in the worker ${options[0]}: ${event.message}`);
        // Once the page has heard of it: what it deals with is no error to anybody.
        if (event.isTrusted) setTimeout(told);
      });
      workers.push(this);
    }
  };

  // The memory of the page's own module.
  const memories = [];
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const instantiate = WebAssembly[name];
    WebAssembly[name] = async (...all) => {
      const made = await instantiate.apply(WebAssembly, all);
      memories.push((made.instance ?? made).exports.memory);
      return made;
    };
  }

  // A small copy of the chart is enough to see a change, and cheap enough to take while the page is at work.
  const small = new OffscreenCanvas(96, 64).getContext("2d", { willReadFrequently: true });
  small.imageSmoothingQuality = "high";
  const sketch = () => {
    // Beside a map it is the run's chart that moves; the map stays as it is under its handle.
    const canvas = document.querySelector("#app .run-figure canvas") ?? document.querySelector("#app canvas");
    if (!canvas?.width || !canvas.height) return null;
    small.clearRect(0, 0, 96, 64);
    small.drawImage(canvas, 0, 0, 96, 64);
    return small.getImageData(0, 0, 96, 64).data;
  };
  const isInked = (data) => data.some((value, index) => value !== data[index % 4]);
  const hash = (data) => data.reduce((hash, value) => Math.imul(hash ^ value, 0x01000193) >>> 0, 0x811c9dc5);

  // The first frame in which the shell is gone and something is drawn in its place.
  const lookForCurve = () => {
    const hasTakenOver = document.getElementById("app") && !document.getElementById("shell");
    const data = hasTakenOver ? sketch() : null;
    if (data && isInked(data)) seen.firstCurve = performance.now();
    else looking = requestAnimationFrame(lookForCurve);
  };
  let looking = requestAnimationFrame(lookForCurve);

  // Frames and pictures from now on. One frame in a tenth of a second is looked at, however many there are.
  let watch = null;
  const watchFrames = () => {
    performance.mark("witness from");
    const mine = (watch = { from: performance.now(), frames: 0, longestGap: 0, pictures: new Set() });
    let [last, looked] = [performance.now(), -Infinity];
    const frame = () => {
      if (watch !== mine) return;
      const now = performance.now();
      mine.longestGap = Math.max(mine.longestGap, now - last);
      last = now;
      mine.frames += 1;
      if (now - looked > 95) {
        looked = now;
        const data = sketch();
        if (data) mine.pictures.add(hash(data));
      }
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  const frames = () => {
    const { from, frames, longestGap, pictures } = watch;
    const perSecond = (1_000 * frames) / (performance.now() - from);
    watch = null;
    performance.mark("witness to");
    return { frames, perSecond, longestGap, pictures: pictures.size };
  };

  // What is pasted belongs to whoever made it: a driver's script may not be one of the page's.
  const paste = (text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    // Firefox gives an event that a script makes an empty clipboard, whatever it is made with.
    Object.defineProperty(event, "clipboardData", { value: clipboardData });
    document.activeElement.dispatchEvent(event);
  };

  return {
    workers,
    paste,
    memory: () => memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0),
    watchFrames,
    frames,
    // Where a picture may never come, looking for it is work.
    giveUpOnCurve: () => cancelAnimationFrame(looking),
    sketch: () => hash(sketch()),
    isInked: () => isInked(sketch() ?? []),
    tellServer,
    report: () => {
      fetchTasks?.();
      fetchShifts?.();
      const { longTasks, shifts } = seen;
      return { ...seen, longTasks: fetchTasks && longTasks, shifts: fetchShifts && shifts, workers: workers.length };
    },
    forget: () => {
      fetchTasks?.();
      fetchShifts?.();
      seen.longTasks = [];
      seen.shifts = [];
    },
  };
})();
