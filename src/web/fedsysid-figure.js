// <fedsysid-figure src="https://your.server/fedsysid/" eps="0.25" show="M,eps"></fedsysid-figure>
// The page in a frame that is as high as it needs to be. docs/embedding.md says how to use it.
(() => {
  const HERE = document.currentScript?.src ?? location.href;
  // What a browser or this element means by itself; every other attribute is a setting, by its key in a link, in any case.
  const OWN = /^(src|class|id|is|style|title|slot|dir|hidden|inert|role|tabindex|width|height|sandbox|on.*|.*-.*)$/;
  // What holds for as long as the frame is there.
  const FRAME = /^(src|width|height|sandbox|show|lock|theme|lang|caption|autorun|origin|instance)$/;
  const SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads";
  let asked = 0;

  class Figure extends HTMLElement {
    #frame = null;
    #isUp = false;
    #later = [];
    #waiting = new Map();
    #hear = ({ source, data }) => source && source === this.#frame?.contentWindow && this.#heard(data);
    #watch = new MutationObserver((changes) => this.#changed(changes.map(({ attributeName }) => attributeName)));
    errors = [];
    settings = {};
    parameters = [];

    connectedCallback() {
      addEventListener("message", this.#hear);
      this.#watch.observe(this, { attributes: true });
      this.#open();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      this.#watch.disconnect();
      this.#close();
    }

    /** Sets keys of a link; the result at these settings. */
    set(settings) {
      this.#say("set", { settings });
      return this.get();
    }

    /** Goes back to what the attributes said at first; the result. */
    reset() {
      this.#say("reset");
      return this.get();
    }

    /** The result at the present settings, once it is complete. */
    get() {
      return this.#ask("get");
    }

    /** The chart as a text: "csv", "json" or "svg". */
    export(format) {
      return this.#ask("export", { format });
    }

    #settings() {
      return [...this.attributes].map(({ name, value }) => [name, value]).filter(([name]) => !OWN.test(name));
    }

    #open() {
      this.#close();
      const url = new URL(this.getAttribute("src") || "./", this.hasAttribute("src") ? document.baseURI : HERE);
      url.searchParams.set("embed", "1");
      for (const [name, value] of this.#settings()) url.searchParams.set(name, value);
      const [width, height] = [this.getAttribute("width"), this.getAttribute("height")];
      const frame = document.createElement("iframe");
      frame.title = this.title || "Federated system identification";
      frame.loading = "lazy";
      frame.style.cssText = "display: block; width: 100%; border: 0; aspect-ratio: 5 / 4; max-height: 36rem";
      if (height) Object.assign(frame.style, { height: `${height}px`, aspectRatio: "auto", maxHeight: "none" });
      if (this.hasAttribute("sandbox")) frame.sandbox = this.getAttribute("sandbox") || SANDBOX;
      frame.src = url;
      Object.assign(this.style, { display: "block", maxWidth: width ? `${width}px` : "" });
      (this.shadowRoot ?? this.attachShadow({ mode: "open" })).replaceChildren(frame);
      this.#frame = frame;
    }

    #close() {
      this.#frame?.remove();
      this.#isUp = false;
      this.#later = [];
      this.#waiting.clear();
    }

    #changed(names) {
      const settings = names.filter((name) => FRAME.test(name) || !OWN.test(name));
      if (settings.some((name) => FRAME.test(name) || !this.hasAttribute(name))) this.#open();
      else if (settings.length) this.set(Object.fromEntries(settings.map((name) => [name, this.getAttribute(name)])));
    }

    #say(kind, fields) {
      const message = { type: `fedsysid:${kind}`, version: 1, ...fields };
      if (this.#isUp) this.#frame.contentWindow.postMessage(message, "*");
      else this.#later.push([kind, fields]);
    }

    #ask(kind, fields) {
      const instance = `ask ${(asked += 1)}`;
      const answer = new Promise((resolve, reject) => {
        this.#waiting.set(instance, { kind, resolve, reject });
        this.#say(kind, { ...fields, instance });
      });
      // Whoever sets something need not wait for what comes of it.
      answer.catch(() => {});
      return answer;
    }

    #heard(data) {
      const kind = /^fedsysid:(\w+)$/.exec(data?.type)?.[1];
      if (!kind) return;
      if (kind === "ready") {
        this.parameters = data.parameters;
        this.#isUp = true;
        for (const [kind, fields] of this.#later.splice(0)) this.#say(kind, fields);
      }
      if (kind === "height" && !this.hasAttribute("height")) {
        Object.assign(this.#frame.style, { height: `${data.px}px`, aspectRatio: "auto", maxHeight: "none" });
      }
      if (data.settings) this.settings = data.settings;
      if (kind === "result") this.errors = data.errors;
      this.#answer(kind, data);
      this.dispatchEvent(new CustomEvent(`fedsysid-${kind}`, { detail: data, bubbles: true, composed: true }));
    }

    /** An answer names its question; a result that is not complete yet is waited for. */
    #answer(kind, data) {
      for (const [instance, question] of this.#waiting) {
        const isAnswer = data.instance === instance;
        question.isHeard ||= isAnswer;
        const isEnd = question.kind === "get" ? kind === "result" && data.complete : isAnswer && kind === question.kind;
        if (!question.isHeard || !(isEnd || kind === "error")) continue;
        this.#waiting.delete(instance);
        if (kind === "error") question.reject(new Error(data.problems.join("; ")));
        else question.resolve(kind === "export" ? data.content : data);
      }
    }
  }

  customElements.get("fedsysid-figure") ?? customElements.define("fedsysid-figure", Figure);
})();
