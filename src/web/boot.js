// The first words in a window, where they start the page, and in a worker, where they start an engine. One script for both:
// where a worker cannot be started by address, it is made of the scripts that the page has (`web::worker`). And no module,
// since none starts as a worker from a file or in a sandboxed frame. `wasm_bindgen` is the program's glue.
if (globalThis.document === undefined) {
  // A sign of life. What comes next is the module that the page has compiled, and where its glue is, if not here.
  postMessage(null);
  addEventListener("message", ({ data: [module, glue, texts] }) => {
    globalThis.fedsysidTexts = texts;
    if (glue) importScripts(glue);
    // Outside of the promise, so that the page hears of it as the worker's error.
    wasm_bindgen({ module_or_path: module }).catch((error) => setTimeout(() => { throw error; }));
  }, { once: true });
} else {
  const root = document.documentElement;
  // Whether this script ran: if not, the style sheet shows other words.
  root.dataset.started = "";
  // In a frame the page is compact from its first picture on, if its address does not say otherwise (`Embed::take`).
  const query = location.search || root.dataset.settings;
  const said = [...new URLSearchParams(query)].filter(([key]) => key.trim().toLowerCase() === "embed");
  const isCompact = said.length
    ? said.map(([, value]) => value.trim()).filter((value) => /^[01]$/.test(value)).pop() === "1"
    : parent !== window && /^http|^file:/.test(location.protocol);
  if (isCompact) root.dataset.embed = "";

  // WebKit, once an element is a container that style sheets ask for its size, does not look at their media queries again when the
  // window changes: the page would keep the layout it began with. A sheet that is changed has it look.
  const lookAgain = (sheet) => {
    try {
      sheet.deleteRule(sheet.insertRule("look-again {}"));
    } catch {
      // In a sandboxed frame nobody may change a sheet that comes by address.
    }
  };
  if (navigator.vendor.startsWith("Apple")) {
    addEventListener("resize", () => [...document.styleSheets].forEach(lookAgain));
  }

  // Menus where the browser does not know popovers (Safari before 17, Firefox before 125): one is open at a time, until there is
  // a press beside it or Escape.
  if (!("showPopover" in HTMLElement.prototype)) {
    root.dataset.popovers = "none";
    let open;
    let opener;
    const show = (menu, button) => {
      const before = open;
      open = menu;
      before?.removeAttribute("data-open");
      menu?.setAttribute("data-open", "");
      // A menu may fill itself when it opens, and be emptied when it closes.
      for (const changed of new Set([before, menu])) changed?.dispatchEvent(new Event("toggle"));
      if (!menu) opener?.focus();
      opener = button;
    };
    addEventListener("click", (event) => {
      const button = event.target.closest("[popovertarget]");
      if (button) {
        const menu = document.getElementById(button.getAttribute("popovertarget"));
        const isOver = menu === open || button.getAttribute("popovertargetaction") === "hide";
        show(isOver ? undefined : menu, isOver ? undefined : button);
        event.preventDefault();
      } else if (open && event.target.isConnected && !open.contains(event.target)) {
        opener = undefined;
        show();
      }
    });
    addEventListener("keydown", (event) => {
      if (open && event.key === "Escape") show();
    });
  }

  // A link may ask for longer texts or a mirrored page, to see that the layout bears them; the program is not told.
  const asked = new URL(location);
  const kind = asked.searchParams.get("stringtest");
  if (kind) {
    asked.searchParams.delete("stringtest");
    history.replaceState(null, "", asked);
    const script = Object.assign(document.createElement("script"), { src: "stringtest.js" });
    script.dataset.kind = kind;
    document.head.append(script);
  }

  // The texts of the reader's language, where it is not English: of the one that the link asks for, else of the one chosen last,
  // else of the first of the browser's that there is. The program finds them as `fedsysidTexts`, with the language's name before
  // them; without, it speaks English.
  const speak = async () => {
    const kept = () => {
      try {
        return localStorage.getItem("fedsysid-language");
      } catch {
        return null;
      }
    };
    const said = [...new URLSearchParams(location.search)].filter(([key]) => key.trim().toLowerCase() === "lang");
    const wanted = [said.pop()?.[1], kept(), ...navigator.languages];
    for (const tag of wanted.map((word) => word?.trim().slice(0, 2).toLowerCase())) {
      const texts = document.querySelector(`[data-texts="${CSS.escape(tag ?? "")}"]`);
      if (texts?.href) {
        const script = Object.assign(document.createElement("script"), { src: texts.href });
        await new Promise((done, failed) => {
          Object.assign(script, { onload: done, onerror: failed });
          document.head.append(script);
        });
      } else if (texts) {
        globalThis.fedsysidTexts = texts.textContent;
      }
      if (texts) root.lang = tag;
      if (texts || tag === "en") return;
    }
  };

  // Why there is no program, as a word that index.html has sentences for.
  const reason = () => {
    if (typeof WebAssembly !== "object") return "old";
    const head = [0, 97, 115, 109, 1, 0, 0, 0];
    // A function that returns a vector.
    const vectors = [1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 22, 1, 20, 0, 253, 12, ...Array(16).fill(0), 11];
    if (!WebAssembly.validate(Uint8Array.from([...head, ...vectors]))) return "old";
    try {
      new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(head)));
    } catch {
      return "policy";
    }
    // One file has all with it, packed in a way that older browsers cannot undo.
    if (!document.querySelector("script[data-wasm]")) return "old";
    if (location.protocol === "file:") return "file";
    return origin === "null" ? "sandbox" : "other";
  };

  // Has the browser keep the page for when there is no network, where that is wanted: not for frames, nor for a page of one
  // file, which names no manifest. Where it is refused, the page is not the worse for it.
  const keep = async () => {
    const names = document.querySelector("link[rel=manifest]");
    if (names && parent === window) await navigator.serviceWorker?.register("offline.js");
  };

  // A page that is one file brings the module along; another names it, and it is on its way from now on. (WebKitGTK would load
  // it twice if the page's head had it preloaded.)
  const address = document.querySelector("script[data-wasm]")?.dataset.wasm;
  const onItsWay = typeof WebAssembly === "object" && address ? fetch(address) : undefined;
  onItsWay?.catch(() => {});

  addEventListener("DOMContentLoaded", async () => {
    try {
      await speak().catch(() => {});
      await wasm_bindgen({ module_or_path: globalThis.packedModule ?? onItsWay });
      setTimeout(() => keep().catch(() => {}), 2_000);
    } catch (error) {
      root.dataset.failed = reason();
      for (const words of document.querySelectorAll(`.failure [data-why~=${root.dataset.failed}]`)) words.hidden = false;
      throw error;
    }
  });
}
