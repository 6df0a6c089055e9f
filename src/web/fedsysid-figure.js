// <fedsysid-figure src="https://your.server/fedsysid/" eps="0.25" show="M,eps"></fedsysid-figure>
// The page in a frame that is as high as it needs to be. docs/embedding.md says how to use it.
(() => {
  const HERE = document.currentScript?.src ?? location.href;
  // What a browser or this element means by itself; every other attribute is a setting, by its key in a link, in any case.
  const OWN = /^(src|class|id|is|style|title|slot|dir|hidden|inert|role|tabindex|width|height|sandbox|accesskey|anchor|autocapitalize|autocorrect|autofocus|contenteditable|draggable|enterkeyhint|exportparts|inputmode|itemid|itemprop|itemref|itemscope|itemtype|nonce|popover|spellcheck|translate|writingsuggestions|on.*|.*[-:_].*)$/;
  // What holds for as long as the frame is there.
  const FRAME = /^(src|sandbox|show|lock|theme|lang|caption|autorun|origin|instance)$/;
  const LOOKS = /^(width|height|title)$/;
  const SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads";
  // By script, since a strict policy of the page around refuses a style in markup. What the author says of the element comes first.
  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`:host { display: block } :host([hidden]) { display: none }
    iframe { display: block; width: 100%; border: 0; aspect-ratio: 5 / 4; max-height: 36rem }`);
  let asked = 0;

  class Figure extends HTMLElement {
    #frame = null;
    #isUp = false;
    // What the page in the frame calls itself: it says so when it is up.
    #name = "";
    // Messages for when it is up, and questions that have no answer yet.
    #later = [];
    #waiting = new Map();
    #hear = ({ source, data }) => source && source === this.#frame?.contentWindow && this.#heard(data);
    #watch = new MutationObserver((changes) => this.#changed(changes));
    errors = [];
    settings = {};
    parameters = [];

    connectedCallback() {
      addEventListener("message", this.#hear);
      this.#watch.observe(this, { attributes: true, attributeOldValue: true });
      this.#open();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      this.#watch.disconnect();
      this.#close();
    }

    /** Moved by `moveBefore`, the frame goes on as it is. */
    connectedMoveCallback() {}

    /** Sets keys of a link; the result at these settings, with the problems of what could not be used. */
    set(settings) {
      return this.#set(settings, "set");
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
      // What attributes said since is in the address now, or was taken back.
      this.#later = this.#later.filter(({ instance }) => !instance?.startsWith("attributes"));
      const url = new URL(this.getAttribute("src") || "./", this.hasAttribute("src") ? document.baseURI : HERE);
      url.searchParams.set("embed", "1");
      for (const [name, value] of this.#settings()) url.searchParams.set(name, value);
      const frame = document.createElement("iframe");
      frame.loading = "lazy";
      if (this.hasAttribute("sandbox")) frame.sandbox = this.getAttribute("sandbox") || SANDBOX;
      frame.src = url;
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [STYLE];
      this.#frame = frame;
      this.#dress();
      root.replaceChildren(frame);
    }

    #dress() {
      const [width, height] = [this.#pixels("width"), this.#pixels("height")];
      this.#frame.title = this.title || "Federated system identification";
      this.#frame.style.maxWidth = width ? `${width}px` : "";
      if (height) this.#setHeight(height);
    }

    /** A size, with or without its unit; what is none is ignored. */
    #pixels(name) {
      return /^\s*(\d+(\.\d+)?)(px)?\s*$/i.exec(this.getAttribute(name))?.[1];
    }

    #setHeight(px) {
      Object.assign(this.#frame.style, { height: `${px}px`, aspectRatio: "auto", maxHeight: "none" });
    }

    #close() {
      this.#frame?.remove();
      this.#frame = null;
      this.#restart();
    }

    /** The page in the frame is another one: what was not answered is asked again, once that is up. */
    #restart() {
      if (!this.#isUp) return;
      this.#isUp = false;
      this.#later = [...this.#waiting.values()].map((question) => {
        question.isHeard = false;
        return question.message;
      });
    }

    #changed(changes) {
      const isOther = ({ attributeName, oldValue }) => oldValue !== this.getAttribute(attributeName);
      const names = [...new Set(changes.filter(isOther).map(({ attributeName }) => attributeName))];
      const settings = names.filter((name) => !OWN.test(name));
      // Without a height of its own it is as high as the page in it says, which says it when it is loaded.
      const isAnew = (name) => FRAME.test(name) || (!this.hasAttribute(name) && (!OWN.test(name) || name === "height"));
      if (names.some(isAnew)) return this.#open();
      if (names.some((name) => LOOKS.test(name))) this.#dress();
      if (settings.length) {
        this.#set(Object.fromEntries(settings.map((name) => [name, this.getAttribute(name)])), "attributes");
      }
    }

    #set(settings, cause) {
      const instance = `${cause} ${(asked += 1)}`;
      this.#say("set", { settings, instance });
      return this.#ask("get", {}, instance);
    }

    #say(kind, fields) {
      this.#post({ type: `fedsysid:${kind}`, version: 1, ...fields });
    }

    #post(message) {
      if (this.#isUp) this.#frame.contentWindow.postMessage(message, "*");
      else this.#later.push(message);
    }

    /** Asks something; `cause` is the message that was sent before, whose problems the answer has. */
    #ask(kind, fields, cause) {
      const instance = `ask ${(asked += 1)}`;
      const message = { type: `fedsysid:${kind}`, version: 1, ...fields, instance };
      const answer = new Promise((resolve, reject) => {
        this.#waiting.set(instance, { kind, message, cause, problems: [], resolve, reject, isHeard: false });
      });
      this.#post(message);
      // Whoever sets something need not wait for what comes of it.
      answer.catch(() => {});
      return answer;
    }

    #heard(data) {
      const kind = /^fedsysid:(\w+)$/.exec(data?.type)?.[1];
      if (!kind) return;
      if (kind === "ready") {
        // Loaded anew from within, as for another language.
        this.#restart();
        this.#isUp = true;
        [this.#name, this.parameters] = [data.instance, data.parameters];
        for (const message of this.#later.splice(0)) this.#post(message);
      }
      if (kind === "height" && !this.#pixels("height")) this.#setHeight(data.px);
      if (data.settings) this.settings = data.settings;
      if (kind === "result") this.errors = data.errors;
      this.#answer(kind, data);
      this.dispatchEvent(new CustomEvent(`fedsysid-${kind}`, { detail: data, bubbles: true, composed: true }));
    }

    /** An answer names its question; a result that is not complete yet is waited for, unless there will be none. */
    #answer(kind, data) {
      for (const [instance, question] of this.#waiting) {
        const isAnswer = data.instance === instance;
        if (kind === "error" && data.instance === question.cause) question.problems = data.problems;
        question.isHeard ||= isAnswer;
        const isResult = question.kind === "get" && question.isHeard;
        if (isResult && kind === "result" && data.complete) question.resolve({ ...data, problems: question.problems });
        else if (isAnswer && kind === "export") question.resolve(data.content);
        else if (kind === "error" && (isAnswer || (isResult && data.instance === this.#name))) {
          question.reject(new Error(data.problems.join("; ")));
        } else continue;
        this.#waiting.delete(instance);
      }
    }
  }

  customElements.get("fedsysid-figure") ?? customElements.define("fedsysid-figure", Figure);
})();
